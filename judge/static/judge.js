// One key for each button and link that names one. Without this file the buttons work too.
"use strict";
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
  const el = document.querySelector(`[data-key="${CSS.escape(e.key.toLowerCase())}"]`);
  if (el) { e.preventDefault(); el.click(); }
});
