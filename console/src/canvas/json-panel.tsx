import { X } from 'lucide-react'
import { Code } from '#console/ui/code.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { useCanvas } from './context.ts'

/** The workflow as the API accepts it. */
export function JsonPanel({ onClose }: { onClose(): void }) {
  const { name, graph } = useCanvas((state) => state.history.doc)
  return (
    <aside
      aria-label="JSON"
      className="flex w-96 max-w-full shrink-0 flex-col overflow-y-auto border-line border-l bg-card p-4 max-md:w-full"
    >
      <header className="mb-2 flex items-center justify-between">
        <h2 className="font-semibold text-lg">JSON</h2>
        <IconButton label="Close JSON" icon={<X size={16} aria-hidden />} onClick={onClose} />
      </header>
      <Code label="JSON" text={JSON.stringify({ name, data: graph }, null, 2)} />
    </aside>
  )
}
