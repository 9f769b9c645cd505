// What somebody has typed but not sent, and the settings beside it: kept while they look at
// something else, reload or close the page. A tab's own text comes first; a new tab starts with
// what was typed last. Written at most every 300 ms, and when the page goes away.

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
export type KeptStores = { tab: Store | null; browser: Store | null }

const writeEveryMs = 300

export function createKeptValues({ tab, browser }: KeptStores) {
  const values = new Map<string, unknown>()
  const listeners = new Set<() => void>()
  const unwritten = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function write() {
    clearTimeout(timer)
    timer = undefined
    for (const name of unwritten) {
      const value = values.get(name)
      for (const store of [tab, browser]) store && writeTo(store, name, value)
    }
    unwritten.clear()
  }

  return {
    /** Undefined if nothing was kept under this name. */
    get(name: string): unknown {
      if (!values.has(name)) values.set(name, readFrom(tab, name) ?? readFrom(browser, name))
      return values.get(name)
    },
    set(name: string, value: unknown): void {
      values.set(name, value)
      unwritten.add(name)
      timer ??= setTimeout(write, writeEveryMs)
      for (const listen of listeners) listen()
    },
    write,
    listen(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const nameIn = (name: string): string => `atelier.kept.${name}`

function readFrom(store: Store | null, name: string): unknown {
  try {
    return JSON.parse(store?.getItem(nameIn(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function writeTo(store: Store, name: string, value: unknown): void {
  try {
    if (value === undefined) store.removeItem(nameIn(name))
    else store.setItem(nameIn(name), JSON.stringify(value))
  } catch {
    // Storage is full or forbidden. The value stays in memory, for as long as the page is open.
  }
}
