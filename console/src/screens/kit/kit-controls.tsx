import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '#console/ui/badge.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Checkbox } from '#console/ui/checkbox.tsx'
import { Combobox } from '#console/ui/combobox.tsx'
import { Field } from '#console/ui/field.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Select } from '#console/ui/select.tsx'
import { Slider } from '#console/ui/slider.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'

const options = [
  { value: 'one', label: 'One', note: '$0.01' },
  { value: 'two', label: 'Two', note: '$0.02' },
  { value: 'three', label: 'Three', note: 'not now', disabled: true },
]

export function KitControls() {
  const [choice, setChoice] = useState('one')
  const [found, setFound] = useState<string | null>(null)
  const [amount, setAmount] = useState(0.7)
  const [isOn, setOn] = useState(true)
  return (
    <Card title="Controls">
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap items-center gap-2">
          <Button variant="primary">Primary</Button>
          <Button icon={<Plus size={16} aria-hidden />}>Secondary</Button>
          <Button variant="quiet">Quiet</Button>
          <Button variant="danger">Danger</Button>
          <Button busy>Busy</Button>
          <Button disabled>Disabled</Button>
          <Button size="small">Small</Button>
          <IconButton label="Add" shortcut="a" icon={<Plus size={16} aria-hidden />} />
          <Badge>plain</Badge>
          <Badge tone="accent">accent</Badge>
          <Badge tone="good">good</Badge>
          <Badge tone="warn">warn</Badge>
          <Badge tone="bad">bad</Badge>
        </div>
        <div className="grid gap-4 md:grid-cols-2">
          <Field label="Text" hint="A hint says what is expected.">
            {(control) => <TextInput {...control} placeholder="Placeholder" />}
          </Field>
          <Field label="Wrong" problem="At least 12 characters.">
            {(control) => <TextInput {...control} defaultValue="short" />}
          </Field>
          <Field label="Select" note="one of a few">
            {(control) => (
              <Select {...control} options={options} value={choice} onChange={setChoice} />
            )}
          </Field>
          <Field label="Combobox" note="one of many">
            {(control) => (
              <Combobox
                {...control}
                options={options}
                value={found}
                onChange={setFound}
                placeholder="Type to find"
              />
            )}
          </Field>
          <Field label="Text area">
            {(control) => <TextArea {...control} defaultValue="It grows with its content." />}
          </Field>
          <div className="flex flex-col gap-2">
            <Checkbox label="Checkbox" hint="With a hint." defaultChecked />
            <Switch
              label="Switch"
              checked={isOn}
              onChange={(event) => setOn(event.target.checked)}
            />
            <Slider
              aria-label="Slider"
              value={amount}
              min={0}
              max={2}
              step={0.1}
              onChange={setAmount}
              format={(value) => value.toFixed(1)}
            />
          </div>
        </div>
      </div>
    </Card>
  )
}
