// Limits of what one request may contain, the same in all compatible APIs.

/** More than any agent brings, even with several MCP servers; a vendor may accept fewer. */
export const maxTools = 1024
/** Per answer of a model. */
export const maxToolCalls = 128
export const maxStops = 16
