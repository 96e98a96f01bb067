// Two minutes before a person is signed out for being idle, the page asks whether they are still there.
"use strict";

(() => {
  const dialog = document.getElementById("idle");
  const idle = Number(dialog.dataset.idle) * 1000;
  const warned = Math.min(Number(dialog.dataset.warned) * 1000, idle / 2);
  const left = dialog.querySelector("[data-left-to-answer]");
  const title = document.title;
  let seen = Date.now();

  // What one tab asked for counts for all of them: they share the session.
  const SEEN = "onpay.seen_at";
  const remember = () => {
    seen = Date.now();
    try { localStorage.setItem(SEEN, String(seen)); } catch { /* without a store each tab counts alone */ }
  };
  const latest = () => {
    try { return Math.max(seen, Number(localStorage.getItem(SEEN)) || 0); } catch { return seen; }
  };

  const show = () => {
    if (dialog.open) return;
    if (dialog.showModal) dialog.showModal();
    else dialog.setAttribute("open", "");
    dialog.querySelector("[data-stay]").focus();
  };
  const hide = () => {
    if (!dialog.open) return;
    if (dialog.close) dialog.close();
    else dialog.removeAttribute("open");
    document.title = title;
  };

  const look = () => {
    const rest = latest() + idle - Date.now();
    if (rest > warned) return hide();
    if (rest <= 0) return location.replace(location.pathname + location.search);
    show();
    const seconds = Math.ceil(rest / 1000);
    const shown = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    left.textContent = shown;
    document.title = `(${shown}) ${title}`;
  };

  const stay = async () => {
    const answer = await fetch(dialog.dataset.address, { redirect: "manual", headers: { accept: "text/plain" } }).catch(() => null);
    if (answer?.ok) {
      remember();
      hide();
    } else if (answer) location.replace(location.pathname + location.search);
  };

  remember();
  document.addEventListener("htmx:afterRequest", remember);
  dialog.querySelector("[data-stay]").addEventListener("click", stay);
  dialog.addEventListener("cancel", (event) => { // the Escape key means: I am here
    event.preventDefault();
    stay();
  });
  setInterval(look, 1000);
  document.addEventListener("visibilitychange", look);
})();
