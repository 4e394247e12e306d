// Whether what had the focus is gone with it. A page that nobody has touched yet has lost nothing.
let had = false;
addEventListener("focusin", () => { had = true; });

export const isFocusLost = () => had && (document.activeElement === document.body || !document.activeElement) && !document.querySelector("dialog[open]");
