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
