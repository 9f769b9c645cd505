import { DayFilter } from './day-filter.tsx'

type Span = { from?: string | undefined; to?: string | undefined }

export const SpanFilter = ({ from, to, onChange }: Span & { onChange(next: Span): void }) => (
  <>
    <DayFilter label="From" value={from} onChange={(day) => onChange({ from: day })} />
    <DayFilter label="To" value={to} onChange={(day) => onChange({ to: day })} />
  </>
)
