/** Name, bars, duration; on a phone the bars are below the name. */
export const gridClass =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-5 md:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)_5.5rem]'

/** What was taken over from an earlier run is hatched. */
export const reusedClass =
  'bg-[repeating-linear-gradient(45deg,var(--good)_0_2px,transparent_2px_6px)]'

/** A call that was retried is striped. */
export const retriedClass =
  'bg-[repeating-linear-gradient(45deg,var(--warn)_0_4px,transparent_4px_7px)]'
