// Names for what the theme's scripts make, for people who do not see them.
"use strict";

addEventListener("load", () => {
  // A region that scrolls is no landmark, and "scrollable content" is no name.
  for (const region of document.querySelectorAll(".simplebar-content-wrapper")) {
    region.removeAttribute("role");
    region.removeAttribute("aria-label");
  }
  // A list with a search is called as its field is.
  for (const select of document.querySelectorAll("select.select2-hidden-accessible")) {
    const name = select.labels[0]?.textContent.trim() || select.name;
    for (const part of select.nextElementSibling.querySelectorAll("[role=combobox], [role=textbox]")) part.setAttribute("aria-label", name);
  }
});
