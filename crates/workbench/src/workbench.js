(function () {
  "use strict";
  var job = document.getElementById("job");
  if (!job || job.dataset.over === "yes") return;
  var refresh = document.querySelector("noscript");
  function look() {
    fetch("/job.json?id=" + encodeURIComponent(job.dataset.id), { headers: { "X-Lookalike": "1" }, credentials: "same-origin" })
      .then(function (answer) { return answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status))); })
      .then(function (now) {
        document.getElementById("state").textContent = now.state;
        document.getElementById("part").textContent = now.part;
        var bar = document.getElementById("progress");
        if (now.of > 0) { bar.max = now.of; bar.value = now.done; } else { bar.removeAttribute("value"); }
        document.getElementById("lines").textContent = now.lines;
        if (now.over) location.reload(); else setTimeout(look, 250);
      })
      .catch(function () { setTimeout(look, 2000); });
  }
  if (refresh) refresh.remove();
  look();
})();
