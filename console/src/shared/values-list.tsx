import { ValueView } from '#console/shared/value-view.tsx'

type ValuesListProps = {
  /** By port or by output. */
  values: Readonly<Record<string, unknown>> | null
  /** Shown if there are none. */
  none: string
  nameOf?(key: string): string
  /** A word beside the name. */
  noteOf?(key: string): string | undefined
}

export function ValuesList({ values, none, nameOf = (key) => key, noteOf }: ValuesListProps) {
  const entries = Object.entries(values ?? {})
  if (entries.length === 0) return <p className="text-soft text-sm">{none}</p>
  return (
    <div className="flex flex-col gap-4">
      {entries.map(([key, value]) => (
        <section key={key} aria-label={nameOf(key)} className="flex min-w-0 flex-col gap-1">
          <h3 className="font-semibold text-sm">
            {nameOf(key)}
            {noteOf?.(key) && <span className="font-normal text-soft"> {noteOf(key)}</span>}
          </h3>
          {value === null ? (
            <p className="text-soft text-sm">Nothing</p>
          ) : (
            <ValueView name={nameOf(key)} value={value} />
          )}
        </section>
      ))}
    </div>
  )
}
