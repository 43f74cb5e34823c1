(function () {
  "use strict";
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

  function drawLabels(places) {
    var group = document.getElementById("map-labels"), taken = [];
    group.textContent = "";
    places.forEach(function (p) { taken.push([p.x - 5, p.y - 5, p.x + 5, p.y + 5]); });
    places.filter(function (p) { return p.front; }).forEach(function (p) {
      var w = width(p.text) + 2;
      [[8, 4, "start"], [-8, 4, "end"], [0, -9, "middle"], [0, 18, "middle"]].some(function (o) {
        var x = p.x + o[0], y = p.y + o[1], from = o[2] === "start" ? x : o[2] === "end" ? x - w : x - w / 2;
        var box = [from, y - 11, from + w, y + 3];
        if (box[0] < left || box[2] > right + 26 || box[1] < top - 6 || box[3] > bottom) return false;
        if (taken.some(function (t) { return box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]; })) return false;
        taken.push(box);
        make(group, "text", { x: x, y: y, "text-anchor": o[2], "class": "point-name" }, p.text);
        return true;
      });
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
      places.push({ x: px, y: py, text: one.short, front: one.front });
    });
    drawLabels(places);
    var usual = chosen[0] === data.chosen[0] && chosen[1] === data.chosen[1];
    document.getElementById("map-front").setAttribute("visibility", usual ? "visible" : "hidden");
    note.textContent = usual ? "" : "The front was found on other axes and is not drawn here; the names are those of its points.";
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
