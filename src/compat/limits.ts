// Limits of what one request may contain, the same in all compatible APIs.

/** More than any agent brings, even with several MCP servers; a vendor may accept fewer. */
export const maxTools = 1024
/** Per answer of a model. */
export const maxToolCalls = 128
export const maxStops = 16

/** Without a number of its own, a model could search the web any number of times. */
const usualSearches = 8
export const mostSearches = 20

/** How often a model may search in one answer. */
export const searchesOf = (asked: unknown): number =>
  typeof asked === 'number' && asked >= 1
    ? Math.min(Math.floor(asked), mostSearches)
    : usualSearches
