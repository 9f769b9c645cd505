type Held<V> = { value: V | undefined }

/**
 * A map that lives long, for values that do not. To make room, a Map moves to a new table, and the
 * old one refers to the new one. Once V8 has taken a table for old, its small collections keep all
 * that follow it, and what was in them: whatever is big would stay until the next full collection.
 * Here tables hold no more of a deleted value than an empty object.
 */
export class PassingMap<K, V> {
  readonly #held = new Map<K, Held<V>>()

  get size(): number {
    return this.#held.size
  }

  get(key: K): V | undefined {
    return this.#held.get(key)?.value
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#held.set(key, { value })
  }

  delete(key: K): void {
    const held = this.#held.get(key)
    if (!held) return
    held.value = undefined
    this.#held.delete(key)
  }

  *values(): Generator<V> {
    for (const { value } of this.#held.values()) if (value !== undefined) yield value
  }
}
