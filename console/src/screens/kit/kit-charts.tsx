import { BarChart } from '#console/ui/bar-chart.tsx'
import { Card } from '#console/ui/card.tsx'

const series = [
  { key: 'a', label: 'A model' },
  { key: 'b', label: 'Another' },
  { key: 'other', label: 'Other' },
]
const bars = Array.from({ length: 14 }, (_, day) => ({
  key: String(day),
  label: `${day + 1} Jan`,
  values: { a: (day * 7) % 11, b: (day * 5) % 6, other: day % 3 },
}))

export function KitCharts() {
  return (
    <Card title="Charts">
      <BarChart label="Calls by day" series={series} bars={bars} format={String} />
    </Card>
  )
}
