// What late.js loads.
export { effects } from "/effects.js";
export { Help } from "/help.js";
export { History } from "/history.js";
