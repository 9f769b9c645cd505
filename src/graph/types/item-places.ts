import type { ItemPlace } from '../node/wait-request.ts'

/**
 * Does `count` items in order, `atOnce` at a time. An item that releases its place while it waits
 * lets another begin, and takes a free one before it goes on. Rejects with the first failure.
 */
export function inPlaces(
  atOnce: number,
  count: number,
  execute: (index: number, place: ItemPlace) => Promise<void>,
): Promise<void> {
  let free = atOnce
  let begun = 0
  let ended = 0
  /** Items that waited come before new ones. */
  const returning: (() => void)[] = []
  return new Promise((resolve, reject) => {
    const fill = () => {
      for (; free > 0 && returning.length > 0; free--) returning.shift()?.()
      while (free > 0 && begun < count) begin(begun++)
      if (ended === count) resolve()
    }
    const begin = (index: number) => {
      let isHeld = true
      let taking: Promise<void> | undefined
      free--
      const release = () => {
        if (!isHeld) return
        isHeld = false
        free++
        fill()
      }
      const take = () => {
        if (isHeld) return
        taking ??= new Promise<void>((go) => {
          returning.push(() => {
            isHeld = true
            taking = undefined
            go()
          })
          fill()
        })
        return taking
      }
      execute(index, { release, take }).then(() => {
        ended++
        release()
        fill()
      }, reject)
    }
    fill()
  })
}
