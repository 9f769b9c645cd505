import { keyName } from '#console/lib/platform.ts'
import { useShortcuts } from '#console/lib/shortcuts.ts'
import { Dialog } from '#console/ui/dialog.tsx'

/** Every shortcut that works at the moment, by group. */
export function ShortcutList({ open, onClose }: { open: boolean; onClose(): void }) {
  const items = useShortcuts((state) => state.items)
  const groups = Map.groupBy(items, (item) => item.group)
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="medium" isText>
      <div className="grid gap-6 sm:grid-cols-2">
        {[...groups].map(([group, members]) => (
          <section key={group}>
            <h3 className="mb-1 text-soft text-sm">{group}</h3>
            <dl>
              {members.map(({ keys, label }) => (
                <div
                  key={keys + label}
                  className="flex items-center justify-between gap-4 border-line border-b py-1 last:border-b-0"
                >
                  <dt>{label}</dt>
                  <dd className="flex gap-1">
                    {keys.split(' ').map((key) => (
                      <kbd
                        key={key}
                        className="rounded-sm border border-control/60 bg-paper px-1.5 text-xs leading-5"
                      >
                        {keyName(key)}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
