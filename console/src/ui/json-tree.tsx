import { cx } from '#console/lib/cx.ts'

type JsonTreeProps = {
  value: unknown
  /** The name of the root, such as "output". */
  name?: string
  /** Levels that are open initially. */
  openDepth?: number
}

/** JSON that can be folded and unfolded, made of native disclosure elements. */
export function JsonTree({ value, name, openDepth = 1 }: JsonTreeProps) {
  return (
    <div className="font-mono text-sm leading-6 [overflow-wrap:anywhere]">
      <JsonValue value={value} name={name} depth={0} openDepth={openDepth} />
    </div>
  )
}

type Part = { value: unknown; name: string | undefined; depth: number; openDepth: number }

function JsonValue({ value, name, depth, openDepth }: Part) {
  const label = name === undefined ? null : <span className="text-soft">{name}: </span>
  if (value === null || typeof value !== 'object')
    return (
      <div>
        {label}
        <span className={cx(typeof value === 'string' ? 'text-good' : 'text-info')}>
          {JSON.stringify(value) ?? 'undefined'}
        </span>
      </div>
    )
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0)
    return (
      <div>
        {label}
        {open + close}
      </div>
    )
  return (
    <details open={depth < openDepth}>
      <summary className="rounded-sm hover:bg-sunken">
        {label}
        <span className="text-soft">
          {open}
          {entries.length} {isList ? 'items' : 'fields'}
          {close}
        </span>
      </summary>
      <div className="border-line border-l pl-4">
        {entries.map(([key, inner]) => (
          <JsonValue key={key} value={inner} name={key} depth={depth + 1} openDepth={openDepth} />
        ))}
      </div>
    </details>
  )
}
