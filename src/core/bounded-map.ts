import { LRUCache } from 'lru-cache'

export type BoundedMap<Value extends object> = LRUCache<string, Value>

/** Values of one size may be bounded by their number alone. */
type Bounds<Value extends object> =
  | { maxEntries: number; maxBytes?: never; bytesOf?: never }
  | { maxEntries?: number; maxBytes: number; bytesOf(value: Value, key: string): number }

/**
 * Keeps at most so many entries and so many bytes, whichever is reached first, and forgets what
 * was used longest ago. A value larger than all of it is not kept.
 */
export function createBoundedMap<Value extends object>(
  bounds: Bounds<Value> & {
    /** Called when an entry was pushed out, replaced or deleted. */
    onRemoved?(value: Value): void
  },
): BoundedMap<Value> {
  const { maxEntries, maxBytes, bytesOf, onRemoved } = bounds
  return new LRUCache<string, Value>({
    // For the library 0 is no limit.
    max: maxEntries ?? 0,
    ...(maxBytes === undefined
      ? {}
      : {
          maxSize: maxBytes,
          // The library takes whole numbers above zero only.
          sizeCalculation: (value, key) => Math.max(1, Math.ceil(bytesOf(value, key))),
        }),
    ...(onRemoved ? { disposeAfter: onRemoved } : {}),
  })
}
