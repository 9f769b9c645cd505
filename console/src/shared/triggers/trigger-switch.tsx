import { useMay } from '#console/api/session.ts'
import type { Trigger } from '#console/api/types.ts'
import { Switch } from '#console/ui/switch.tsx'

type TriggerSwitchProps = { trigger: Trigger; isBusy: boolean; onTurn(enabled: boolean): void }

export function TriggerSwitch({ trigger, isBusy, onTurn }: TriggerSwitchProps) {
  const isOn = trigger.enabled && trigger.paused === null
  const mayEdit = useMay('editor')
  return (
    <Switch
      label={
        <>
          <span className="sr-only">{trigger.name} is on</span>
          <span aria-hidden className="inline-block min-w-6 text-sm">
            {isOn ? 'On' : 'Off'}
          </span>
        </>
      }
      checked={isOn}
      disabled={!mayEdit || isBusy}
      onChange={({ target }) => onTurn(target.checked)}
    />
  )
}
