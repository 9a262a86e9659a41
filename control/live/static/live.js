// Replaces the parts of the first page that change, as the server sends them. The text is the
// server's own markup, made by html/template; nothing is put together here.
"use strict";
(() => {
  const parts = new Map();
  for (const el of document.querySelectorAll("[data-part]")) parts.set(el.dataset.part, el);
  if (parts.size === 0 || !window.EventSource) return;
  const busy = (el) => {
    if (el.contains(document.activeElement)) return true; // somebody is at work in it
    const s = document.getSelection();
    return s && !s.isCollapsed && s.rangeCount > 0 && s.getRangeAt(0).intersectsNode(el);
  };
  const stale = new Map(); // what could not be shown while somebody was at work
  const show = (name, html) => {
    const el = parts.get(name);
    if (!el) return;
    if (busy(el)) { stale.set(name, html); return; }
    stale.delete(name);
    const t = document.createElement("template");
    t.innerHTML = html;
    el.replaceChildren(t.content);
  };
  const from = new EventSource("/events");
  from.onmessage = (e) => {
    const got = JSON.parse(e.data);
    for (const [name, html] of stale) if (!(name in got)) show(name, html);
    for (const name of Object.keys(got)) show(name, got[name]);
    document.body.dataset.live = "on";
  };
  from.onerror = () => { document.body.dataset.live = "off"; };
})();
