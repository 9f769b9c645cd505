import { LRUCache } from 'lru-cache'

export type BoundedMap<Value extends object> = LRUCache<string, Value>

/** Values that all have the same size may be bounded by their number alone. */
type Bounds<Value extends object> =
  | { maxEntries: number; maxBytes?: never; bytesOf?: never }
  | { maxEntries?: number; maxBytes: number; bytesOf(value: Value, key: string): number }

/**
 * An LRU map bounded by entries and by bytes, whichever limit is reached first. A value larger
 * than the whole map is not stored.
 */
export function createBoundedMap<Value extends object>(
  bounds: Bounds<Value> & {
    /** Called when an entry was evicted, replaced or deleted. */
    onRemoved?(value: Value): void
  },
): BoundedMap<Value> {
  const { maxEntries, maxBytes, bytesOf, onRemoved } = bounds
  return new LRUCache<string, Value>({
    ...(maxBytes === undefined
      ? // Not `max`, for which the library reserves memory and 7 ms at once: 50,000 may never come.
        { maxSize: maxEntries, sizeCalculation: () => 1 }
      : {
          // For the library, 0 means no limit.
          max: maxEntries ?? 0,
          maxSize: maxBytes,
          // The library accepts only positive integers.
          sizeCalculation: (value, key) => Math.max(1, Math.ceil(bytesOf(value, key))),
        }),
    ...(onRemoved ? { disposeAfter: onRemoved } : {}),
  })
}
