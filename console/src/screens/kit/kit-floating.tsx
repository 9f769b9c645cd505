import { useState } from 'react'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Menu } from '#console/ui/menu.tsx'
import { Popover } from '#console/ui/popover.tsx'
import { SidePanel } from '#console/ui/side-panel.tsx'
import { Tabs } from '#console/ui/tabs.tsx'
import { toast } from '#console/ui/toasts.ts'

export function KitFloating() {
  const [isOpen, setOpen] = useState(false)
  const [hasPanel, setPanel] = useState(false)
  const [tab, setTab] = useState<'first' | 'second'>('first')
  return (
    <Card title="Floating">
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen(true)}>Open dialog</Button>
          <Button onClick={() => setPanel(true)}>Open panel</Button>
          <Button onClick={() => toast('Saved', 'Version 4')}>Show toast</Button>
          <Menu
            trigger={<Button>Open menu</Button>}
            align="start"
            items={[
              { heading: 'A heading' },
              { label: 'Do this', shortcut: 'Mod+D', onSelect: () => toast('Done') },
              { label: 'Not now', disabled: true, onSelect: () => undefined },
              { separator: true },
              { label: 'Delete', danger: true, onSelect: () => toast('Deleted') },
            ]}
          />
          <Popover trigger={<Button>Open popover</Button>} title="A popover">
            <p className="max-w-form">Holds what belongs to its button.</p>
          </Popover>
        </div>
        <Tabs
          aria-label="Example"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'first', label: 'First', panel: <p>The first panel.</p> },
            { value: 'second', label: 'Second', note: '3', panel: <p>The second panel.</p> },
          ]}
        />
      </div>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="A dialog"
        description="What it asks, in one sentence."
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button variant="primary" onClick={() => setOpen(false)}>
              Do it
            </Button>
          </>
        }
      >
        <p>Its content scrolls if it is long.</p>
      </Dialog>
      {hasPanel && (
        <SidePanel title="A panel" onClose={() => setPanel(false)}>
          <p>The list beside it stays usable.</p>
        </SidePanel>
      )}
    </Card>
  )
}
