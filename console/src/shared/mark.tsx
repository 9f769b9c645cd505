/** The product's logo, as in the favicon: an A whose crossbar is a brush stroke. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M8 24 16 7l8 17M11.5 18.5c3-2 6-2 9 0"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
