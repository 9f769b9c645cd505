// Connections that the server opens to itself for a request that it has admitted. While it stops,
// such a request is finished, and so are those it makes; nobody outside can make one.
const own = new WeakSet<object>()

export const markOwn = (socket: object): void => void own.add(socket)

export const isOwn = (socket: object): boolean => own.has(socket)
