/** Everything that floats has the same surface and shadow. */
export const popupClass =
  'rounded-md border border-line bg-card text-ink shadow-float outline-none transition-opacity data-starting-style:opacity-0 data-ending-style:opacity-0'

export const itemClass =
  'flex min-h-8 cursor-default select-none items-center gap-2 rounded-sm px-2 py-1 text-base outline-none data-disabled:opacity-50 data-highlighted:bg-sunken pointer-coarse:min-h-11'
