// What late.js loads.
export { effects } from "/effects.js";
export { Help, JackpotsWindow } from "/help.js";
export { History } from "/history.js";
