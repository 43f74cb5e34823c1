(function () {
  "use strict";
  function get(address) {
    return fetch(address, { headers: { "X-Lookalike": "1" }, credentials: "same-origin" })
      .then(function (answer) { return answer.ok ? answer : Promise.reject(new Error(String(answer.status))); });
  }
  // Puts the element of this id of another page in the place of the one that is here.
  function swap(address, id) {
    return get(address).then(function (answer) { return answer.text(); }).then(function (text) {
      var fresh = new DOMParser().parseFromString(text, "text/html").getElementById(id), old = document.getElementById(id);
      if (fresh && old) old.replaceWith(document.adoptNode(fresh));
    });
  }
  // Forms that ask: the answer comes while a slider moves.
  document.querySelectorAll("form[data-live]").forEach(function (form) {
    var waiting = null;
    form.addEventListener("input", function () {
      clearTimeout(waiting);
      waiting = setTimeout(function () {
        var query = new URLSearchParams(new FormData(form)).toString();
        var slider = form.querySelector("input[type=range]"), told = slider && slider.parentElement.querySelector("small");
        if (told) told.textContent = "from 0.01 to 100; now " + Number(Math.pow(10, Number(slider.value)).toPrecision(2));
        swap(form.getAttribute("action") + "?" + query, form.dataset.live).catch(function () {});
      }, 250);
    });
  });
  // Buttons that copy a text, where the browser lets them.
  document.querySelectorAll("button[data-copy]").forEach(function (button) {
    var from = document.getElementById(button.dataset.copy);
    if (!from || !navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(from.textContent).then(function () { button.textContent = "Copied"; }, function () { button.textContent = "It could not be copied"; });
    });
  });
  moveLimits();

  // Limits on the map are moved by mouse, finger or keyboard; the text of the form follows, and so do the versions that keep them.
  function moveLimits() {
    var source = document.getElementById("map-data"), text = document.querySelector("textarea[name=limits]");
    var group = document.getElementById("map-limits"), told = document.getElementById("limits-told");
    if (!source || !text || !group || !told) return;
    var data = JSON.parse(source.textContent), svg = group.ownerSVGElement, handles = [];
    var field = { left: data.field[0], right: data.field[1], top: data.field[2], bottom: data.field[3] };
    group.querySelectorAll(".limit, .limit-name").forEach(function (drawn) { drawn.remove(); });
    var zone = group.querySelector(".kept-zone") || make(group, "rect", { "class": "kept-zone" });
    data.movable.forEach(function (axis, across) {
      axis.limits.forEach(function (limit) { handles.push(handle(axis, limit, across === 0)); });
    });
    judge(false);

    function make(parent, name, attributes) {
      var element = document.createElementNS("http://www.w3.org/2000/svg", name);
      Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
      return parent.appendChild(element);
    }
    function inner(scale, value) { return scale.log ? Math.log10(Math.max(value, 1e-300)) : value; }
    function place(scale, value) {
      var low = inner(scale, scale.from[0]), high = inner(scale, scale.from[1]);
      var share = Math.min(1, Math.max(0, (inner(scale, value) - low) / (high - low)));
      return scale.to[0] + share * (scale.to[1] - scale.to[0]);
    }
    function number(scale, at) {
      var share = (at - scale.to[0]) / (scale.to[1] - scale.to[0]), low = inner(scale, scale.from[0]), high = inner(scale, scale.from[1]);
      var value = low + Math.min(1, Math.max(0, share)) * (high - low);
      return Number((scale.log ? Math.pow(10, value) : value).toPrecision(3));
    }
    function handle(axis, limit, isRisk) {
      var scale = axis.scale, lax = limit.atMost ? scale.from[1] : scale.from[0];
      var one = { limit: limit, scale: scale, isRisk: isRisk, bound: limit.bound };
      var outer = make(group, "g", { "class": isRisk ? "handle" : "handle up", tabindex: "0", role: "slider", "aria-label": "limit on " + limit.name,
        "aria-valuemin": scale.from[0], "aria-valuemax": scale.from[1], "aria-orientation": isRisk ? "horizontal" : "vertical" });
      var grip = make(outer, "line", { "class": "grip" }), line = make(outer, "line", { "class": "limit" }), name = make(outer, "text", { "class": "limit-name" });
      one.draw = function () {
        var at = place(scale, one.bound === null ? lax : one.bound);
        [grip, line].forEach(function (drawn) {
          drawn.setAttribute("x1", isRisk ? at : field.left); drawn.setAttribute("x2", isRisk ? at : field.right);
          drawn.setAttribute("y1", isRisk ? field.top : at); drawn.setAttribute("y2", isRisk ? field.bottom : at);
        });
        var isLate = isRisk && at > field.right - 90;
        name.setAttribute("x", isRisk ? at + (isLate ? -4 : 4) : field.right - 4);
        name.setAttribute("y", isRisk ? field.top + 11 : Math.max(at - 4, field.top + 11));
        name.setAttribute("text-anchor", isLate || !isRisk ? "end" : "start");
        var words = one.bound === null ? "no limit" : "limit " + one.bound;
        name.textContent = words;
        outer.setAttribute("aria-valuenow", one.bound === null ? lax : one.bound);
        outer.setAttribute("aria-valuetext", words);
      };
      function set(bound) { one.bound = bound; one.draw(); judge(true); }
      function at(event) {
        var point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        return number(scale, isRisk ? point.x : point.y);
      }
      outer.addEventListener("pointerdown", function (event) { outer.setPointerCapture(event.pointerId); outer.focus(); event.preventDefault(); });
      outer.addEventListener("pointermove", function (event) { if (outer.hasPointerCapture(event.pointerId)) set(at(event)); });
      outer.addEventListener("keydown", function (event) {
        var step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[event.key];
        if (event.key === "Home" || event.key === "End") set(Number(scale.from[event.key === "Home" ? 0 : 1].toPrecision(3)));
        else if (step) {
          var now = place(scale, one.bound === null ? lax : one.bound), span = scale.to[1] - scale.to[0];
          set(number(scale, now + step * span / 100));
        } else return;
        event.preventDefault();
      });
      one.draw();
      return one;
    }
    // Whether a version keeps a limit by the value that it is judged by; a limit that was never judged by the value on the axis.
    function keeps(version, one) {
      if (one.bound === null) return true;
      var check = one.limit.at === null ? null : version.checks[one.limit.at], shown = version.values[data.chosen[one.isRisk ? 0 : 1]];
      var value = check ? check[0] : shown && shown[0];
      if (check && !check[2]) return false;
      return typeof value === "number" && (one.limit.atMost ? value <= one.bound : value >= one.bound);
    }
    function judge(isMoved) {
      var moved = handles.map(function (one) { return one.limit.at; }), kept = 0, all = 0;
      data.contestants.forEach(function (version, at) {
        var others = version.checks.every(function (check, which) { return moved.indexOf(which) >= 0 || (check && check[1]); });
        var does = others && handles.every(function (one) { return keeps(version, one); });
        var mark = document.querySelector('#map-points a[data-at="' + at + '"] .mark');
        if (!mark) return;
        all += 1;
        if (does) kept += 1;
        mark.classList.toggle("refused", !does);
      });
      var ends = data.movable.map(function (axis) { return axis.usable.slice(); });
      handles.forEach(function (one) {
        if (one.bound === null) return;
        var at = place(one.scale, one.bound), span = ends[one.isRisk ? 0 : 1], rises = one.scale.to[1] > one.scale.to[0];
        if (one.limit.atMost === rises) span[1] = Math.min(span[1], at); else span[0] = Math.max(span[0], at);
      });
      var isWhole = ends[0][0] <= field.left && ends[0][1] >= field.right && ends[1][0] <= field.top && ends[1][1] >= field.bottom;
      zone.setAttribute("visibility", isWhole ? "hidden" : "inherit");
      zone.setAttribute("x", ends[0][0]); zone.setAttribute("width", Math.max(0, ends[0][1] - ends[0][0]));
      zone.setAttribute("y", ends[1][0]); zone.setAttribute("height", Math.max(0, ends[1][1] - ends[1][0]));
      told.textContent = kept + " of the " + all + " versions on the map keep " + (isMoved ? "these limits. Save them to have a version recommended by them." : "all limits. Drag a red line, or move it by the arrow keys, to see what another limit would leave.");
      if (isMoved) { write(); document.getElementById("limits-moved").hidden = false; }
    }
    // One line a limit: those on the map are written anew, the others stay as they are.
    function write() {
      var lines = text.value.split("\n").filter(function (line) { return line.trim(); });
      handles.forEach(function (one) {
        if (one.bound === null) return;
        var signs = one.limit.atMost ? ["<=", "≤"] : [">=", "≥"], sign = one.limit.atMost ? " <= " : " >= ";
        var is = function (line) { return signs.some(function (sign) { return line.split(sign)[0].trim() === one.limit.name && line.indexOf(sign) > 0; }); };
        var at = lines.findIndex(is), fresh = one.limit.name + sign + one.bound;
        if (at < 0) lines.push(fresh); else lines[at] = fresh;
      });
      text.value = lines.join("\n");
    }
  }
  var job = document.getElementById("job");
  if (!job || job.dataset.over === "yes") return;
  var mapped = 0;
  function look() {
    get("/job.json?id=" + encodeURIComponent(job.dataset.id))
      .then(function (answer) { return answer.json(); })
      .then(function (now) {
        document.getElementById("state").textContent = now.state;
        document.getElementById("part").textContent = now.part;
        var bar = document.getElementById("progress"), lines = document.getElementById("lines");
        if (now.of > 0) { bar.max = now.of; bar.value = now.done; } else { bar.removeAttribute("value"); }
        if (lines) lines.textContent = now.lines;
        if (now.over) { location.reload(); return; }
        if (job.dataset.map && Date.now() - mapped > 1000) { mapped = Date.now(); swap(location.href, job.dataset.map).catch(function () {}); }
        setTimeout(look, 250);
      })
      .catch(function () { setTimeout(look, 2000); });
  }
  look();
})();
