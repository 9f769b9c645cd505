import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export type Tab<T extends string> = { value: T; label: string; note?: ReactNode; panel: ReactNode }

type TabsProps<T extends string> = {
  tabs: readonly Tab<NoInfer<T>>[]
  value: T
  onChange(value: NoInfer<T>): void
  'aria-label': string
}

export function Tabs<T extends string>({ tabs, value, onChange, ...rest }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Base.List
        aria-label={rest['aria-label']}
        className="flex flex-wrap gap-x-4 border-line border-b"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px flex min-h-9 shrink-0 items-center gap-2 border-transparent border-b-2 text-soft transition-colors hover:text-ink data-active:border-accent data-active:font-semibold data-active:text-ink pointer-coarse:min-h-11"
          >
            {tab.label}
            {tab.note && <span className="text-soft text-xs">{tab.note}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
