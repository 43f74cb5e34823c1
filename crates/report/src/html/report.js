(function () {
  "use strict";
  // Cards of variables: found by name, in three orders.
  var cards = document.getElementById("variable-cards"), tools = document.getElementById("variable-tools");
  if (cards && tools) {
    var all = Array.prototype.slice.call(cards.children), search = document.getElementById("variable-search"), order = document.getElementById("variable-order");
    tools.hidden = false;
    search.addEventListener("input", function () {
      var wanted = search.value.trim().toLowerCase();
      all.forEach(function (card) { card.hidden = card.dataset.name.indexOf(wanted) < 0; });
    });
    order.addEventListener("change", function () {
      var sorted = all.slice();
      if (order.value === "name") sorted.sort(function (a, b) { return a.dataset.name < b.dataset.name ? -1 : 1; });
      if (order.value === "file") sorted.sort(function (a, b) { return Number(a.dataset.file) - Number(b.dataset.file); });
      sorted.forEach(function (card) { cards.appendChild(card); });
    });
  }
  // Tables that can be sorted by each column, by number where there is one.
  document.querySelectorAll("[data-sort] table").forEach(function (table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending", rows = Array.prototype.slice.call(body.rows);
        function key(row) {
          var text = row.cells[column].textContent, number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
          return isNaN(number) ? text : number;
        }
        rows.sort(function (one, other) {
          var a = key(one), b = key(other);
          if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
          return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
        });
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });
  var source = document.getElementById("map-data");
  if (!source) return;
  var data = JSON.parse(source.textContent);
  var space = "http://www.w3.org/2000/svg";
  var svg = document.querySelector("#risk-utility-map svg");
  var chooser = document.getElementById("map-axes");
  var selects = [document.getElementById("map-risk"), document.getElementById("map-utility")];
  var note = document.getElementById("map-note");
  var left = data.field[0], right = data.field[1], top = data.field[2], bottom = data.field[3];
  chooser.hidden = false;

  // The same scales and ticks as in the drawn picture.
  function scaleOf(values, from, to) {
    var low = Math.min.apply(null, values), high = Math.max.apply(null, values), log = false, room;
    if (!values.length) { low = 0; high = 1; }
    if (low > 0 && high / low > 50) {
      room = Math.pow(high / low, 0.06); low = Math.log10(low / room); high = Math.log10(high * room); log = true;
    } else {
      if (high <= low) { room = low === 0 ? 1 : 0.1 * Math.abs(low); high = low + room; low = low >= 0 ? Math.max(0, low - room) : low - room; }
      room = 0.06 * (high - low);
      low = low >= 0 ? Math.max(0, low - room) : low - room;
      high += room;
    }
    function at(value) {
      var inner = log ? Math.log10(Math.max(value, 1e-300)) : value;
      return from + (inner - low) / (high - low) * (to - from);
    }
    function ticks(wanted) {
      var all = [], power, step, k, sets, i;
      if (log) {
        sets = [[1, 2, 5], [1, 3], [1]];
        for (i = 0; i < sets.length; i++) {
          all = [];
          for (power = Math.floor(low); power <= Math.ceil(high); power++)
            sets[i].forEach(function (factor) {
              var tick = factor * Math.pow(10, power), inner = Math.log10(tick);
              if (inner >= low - 1e-9 && inner <= high + 1e-9) all.push(tick);
            });
          if (all.length <= wanted + 2) break;
        }
        return all;
      }
      step = (high - low) / wanted;
      power = Math.pow(10, Math.floor(Math.log10(step)));
      step = [1, 2, 5, 10].map(function (f) { return f * power; }).find(function (s) { return s >= step * (1 - 1e-9); });
      for (k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k++) all.push(k * step);
      return all;
    }
    return { at: at, ticks: ticks };
  }
  function written(value) {
    return String(Number(value.toPrecision(6))).replace("-", "−");
  }
  function make(parent, name, attributes, text) {
    var element = document.createElementNS(space, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  function width(text) { return text.length * 6.82; }
  function place(element, x1, y1, x2, y2) {
    element.setAttribute("x1", x1); element.setAttribute("y1", y1);
    element.setAttribute("x2", x2); element.setAttribute("y2", y2);
  }

  function drawAxes(x, y, names) {
    var axis = svg.querySelector(".x-axis"), last = -Infinity;
    axis.textContent = "";
    make(axis, "line", { x1: left, y1: bottom, x2: right, y2: bottom, "class": "axis-line" });
    x.ticks(Math.floor((right - left) / 42)).forEach(function (tick) {
      var at = x.at(tick), text = written(tick), half = width(text) / 2;
      make(axis, "line", { x1: at, y1: bottom, x2: at, y2: top, "class": "grid" });
      if (at - half <= last + 4) return;
      last = at + half;
      make(axis, "text", { x: at, y: bottom + 15, "text-anchor": "middle" }, text);
    });
    make(axis, "text", { x: (left + right) / 2, y: bottom + 33, "text-anchor": "middle", "class": "axis-name" }, names[0]);
    axis = svg.querySelector(".y-axis");
    axis.textContent = "";
    make(axis, "line", { x1: left, y1: top, x2: left, y2: bottom, "class": "axis-line" });
    y.ticks(Math.floor((bottom - top) / 28)).forEach(function (tick) {
      make(axis, "line", { x1: left, y1: y.at(tick), x2: right, y2: y.at(tick), "class": "grid" });
      make(axis, "text", { x: left - 6, y: y.at(tick) + 4, "text-anchor": "end" }, written(tick));
    });
    make(axis, "text", { x: 4, y: top - 10, "text-anchor": "start", "class": "axis-name" }, names[1]);
  }

  // Every point has its name, as near as it fits; further away it is joined to its point.
  function drawLabels(places) {
    var group = document.getElementById("map-labels"), taken = [];
    group.textContent = "";
    places.forEach(function (p) {
      taken.push([p.x - 6, p.y - 6, p.x + 6, p.y + 6], [p.left - 1, p.y - 1, p.right + 1, p.y + 1], [p.x - 1, p.top - 1, p.x + 1, p.bottom + 1]);
    });
    function free(box) {
      if (box[0] < left || box[2] > data.width - 2 || box[1] < top - 6 || box[3] > bottom) return false;
      return !taken.some(function (t) { return box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]; });
    }
    places.slice().sort(function (a, b) { return Number(b.front) - Number(a.front); }).forEach(function (p) {
      var w = width(p.text) + 2, kind = p.front ? "point-name" : "point-name quiet-text", boxes = [], ring, i, angle, x, y, at;
      boxes.push([p.x + 8, p.y - 7, true], [p.x - 8 - w, p.y - 7, true], [p.x - w / 2, p.y - 20, true], [p.x - w / 2, p.y + 7, true]);
      for (ring = 2; ring < 12; ring++)
        for (i = 0; i < 12; i++) {
          angle = (i % 2 ? 1 : -1) * Math.ceil(i / 2) * 0.52;
          x = p.x + 12 * ring * Math.cos(angle); y = p.y + 12 * ring * Math.sin(angle);
          boxes.push([x >= p.x ? x : x - w, y - 6.5, false]);
        }
      for (i = 0; i < 80; i++) boxes.push([data.width - 3 - w, top + 7 * i, false]);
      at = boxes.find(function (b) { return free([b[0], b[1], b[0] + w, b[1] + 13]); });
      if (!at) return;
      taken.push([at[0], at[1], at[0] + w, at[1] + 13]);
      if (!at[2]) make(group, "line", { x1: p.x, y1: p.y, x2: at[0] >= p.x ? at[0] : at[0] + w, y2: at[1] + 6.5, "class": "leader" });
      make(group, "text", { x: at[0] + 1, y: at[1] + 10.5, "text-anchor": "start", "class": kind }, p.text);
    });
  }

  function draw() {
    var chosen = selects.map(function (select) { return Number(select.value); });
    var known = data.contestants.filter(function (one) { return one.values[chosen[0]] && one.values[chosen[1]]; });
    function all(axis) {
      var values = [];
      known.forEach(function (one) {
        values.push(one.values[axis][1], one.values[axis][2]);
        if (one.planned[axis] !== null && one.planned[axis] !== undefined) values.push(one.planned[axis]);
      });
      return values;
    }
    var x = scaleOf(all(chosen[0]), left, right), y = scaleOf(all(chosen[1]), bottom, top), places = [];
    drawAxes(x, y, chosen.map(function (axis) { return data.axes[axis].name; }));
    document.querySelectorAll("#map-points a").forEach(function (link) {
      var one = data.contestants[Number(link.dataset.at)], risk = one.values[chosen[0]], utility = one.values[chosen[1]];
      link.setAttribute("visibility", risk && utility ? "visible" : "hidden");
      if (!risk || !utility) return;
      var px = x.at(risk[0]), py = y.at(utility[0]), lines = link.querySelectorAll("line"), planned = link.querySelector(".planned");
      place(lines[0], x.at(risk[1]), py, x.at(risk[2]), py);
      place(lines[1], px, y.at(utility[1]), px, y.at(utility[2]));
      link.querySelector(".mark").setAttribute("transform", "translate(" + px + " " + py + ")");
      if (planned) {
        var r = one.planned[chosen[0]], u = one.planned[chosen[1]], has = r !== null && u !== null;
        planned.setAttribute("visibility", has ? "inherit" : "hidden");
        if (has) planned.setAttribute("transform", "translate(" + x.at(r) + " " + y.at(u) + ")");
      }
      var told = one.label + ": " + data.axes[chosen[1]].label + " " + written(Number(utility[0].toPrecision(3))) + "; " +
        data.axes[chosen[0]].label + " " + written(Number(risk[0].toPrecision(3)));
      link.setAttribute("aria-label", told);
      link.querySelector("title").textContent = told;
      places.push({ x: px, y: py, text: one.short, front: one.front, left: x.at(risk[1]), right: x.at(risk[2]), top: y.at(utility[2]), bottom: y.at(utility[1]) });
    });
    drawLabels(places);
    var usual = chosen[0] === data.chosen[0] && chosen[1] === data.chosen[1];
    ["map-front", "map-limits"].forEach(function (id) { document.getElementById(id).setAttribute("visibility", usual ? "visible" : "hidden"); });
    note.textContent = usual ? "" : "The front and the limits are those of other axes and are not drawn here.";
  }

  selects.forEach(function (select) { select.addEventListener("change", draw); });
  var shown = document.getElementById("map-told");
  function tell(event) {
    var link = event.target.closest ? event.target.closest("#map-points a") : null;
    if (link) shown.textContent = link.getAttribute("aria-label");
  }
  svg.addEventListener("mouseover", tell);
  svg.addEventListener("focusin", tell);
  function open() {
    var target = document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; target.querySelector("summary").focus(); }
  }
  window.addEventListener("hashchange", open);
  svg.addEventListener("click", function (event) { if (event.target.closest("a")) setTimeout(open, 0); });
  open();
})();
