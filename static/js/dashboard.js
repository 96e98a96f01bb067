// What the pages do beyond reading: every page is whole without it.
"use strict";

(() => {
  const year = 365 * 24 * 3600;
  const root = document.documentElement;
  const remember = (name, value) => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${year}; SameSite=Lax${secure}`;
  };

  // Light or dark: what the person chose, else what the system says. Before the first paint, so nothing flashes.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  if (!root.dataset.bsTheme) root.dataset.bsTheme = dark.matches ? "dark" : "light";

  // Times are shown in the reader's zone from the next page on.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.includes(`time_zone=${encodeURIComponent(zone)}`)) remember("time_zone", zone);

  const copy = async (button) => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.classList.add("text-green");
    const said = Object.assign(document.createElement("div"), { className: "alert alert-success copied" });
    said.setAttribute("role", "status");
    said.textContent = document.body.dataset.copied;
    document.body.append(said);
    setTimeout(() => {
      button.classList.remove("text-green");
      said.remove();
    }, 1500);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-theme-switch]");
    if (button?.dataset.copy) copy(button);
    else if (button) {
      root.dataset.bsTheme = root.dataset.bsTheme === "dark" ? "light" : "dark";
      remember("theme", root.dataset.bsTheme);
      document.dispatchEvent(new Event("theme"));
    }
    for (const open of document.querySelectorAll("details.drop[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });

  // A password is typed once, and shown on demand.
  document.addEventListener("DOMContentLoaded", () => {
    // A review that was sent by a form: who comes back to it later finds the form, not an error of the browser.
    const review = document.querySelector("[data-back]");
    if (review) history.replaceState(null, "", review.dataset.back);
    for (const field of document.querySelectorAll('input[type="password"]')) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "btn", textContent: document.body.dataset.show });
      const around = Object.assign(document.createElement("div"), { className: "password" });
      field.replaceWith(around);
      around.append(field, button);
      button.addEventListener("click", () => {
        const isHidden = field.type === "password";
        field.type = isHidden ? "text" : "password";
        button.textContent = isHidden ? document.body.dataset.hide : document.body.dataset.show;
      });
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const open of document.querySelectorAll("details.drop[open]")) {
        open.open = false;
        open.querySelector("summary").focus();
      }
    }
    if (event.key === "/" && !event.target.closest("input, textarea, select, [contenteditable]")) {
      const find = document.querySelector('[data-key="/"]');
      if (find) {
        event.preventDefault();
        find.focus();
      }
    }
  });

  // A button that was pressed waits for its answer, and a question is asked before what cannot be undone.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.confirm && !confirm(form.dataset.confirm)) {
      event.preventDefault();
      return;
    }
    if (form.method === "post" && !form.hasAttribute("hx-post")) {
      setTimeout(() => form.querySelectorAll("button:not([type=button])").forEach((button) => {
        button.disabled = true;
        button.classList.add("btn-loading");
      }));
    }
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  // Time left: <time data-until="…"> counts down, and what stands in data-over is shown at its end.
  const tick = () => {
    for (const clock of document.querySelectorAll("[data-until]")) {
      const left = Math.max(0, Math.ceil((Date.parse(clock.dataset.until) - Date.now()) / 1000));
      const minutes = Math.floor(left / 60);
      clock.textContent = left ? `${minutes}:${String(left % 60).padStart(2, "0")}` : clock.dataset.over;
      if (!left) document.querySelectorAll(`[data-only-until="${clock.id}"]`).forEach((one) => { one.disabled = true; });
    }
  };
  addEventListener("DOMContentLoaded", () => {
    if (document.querySelector("[data-until]")) {
      tick();
      setInterval(tick, 1000);
    }
  });
})();
