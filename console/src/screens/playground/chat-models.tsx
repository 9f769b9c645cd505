import { Columns2 } from 'lucide-react'
import type { Model } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { ModelPicker } from './model-picker.tsx'

type ChatModelsProps = {
  models: readonly Model[]
  first: Model
  second: Model | undefined
  onChange(next: { model?: string; beside?: string | undefined }): void
}

/** One model, or two side by side. */
export function ChatModels({ models, first, second, onChange }: ChatModelsProps) {
  const other = models.find(({ id }) => id !== first.id) ?? first
  return (
    <>
      <ModelPicker models={models} model={first} onChange={(model) => onChange({ model })} />
      {second ? (
        <>
          <ModelPicker
            label="Second model"
            models={models}
            model={second}
            onChange={(beside) => onChange({ beside })}
          />
          <Button variant="quiet" onClick={() => onChange({ beside: undefined })}>
            Only one model
          </Button>
        </>
      ) : (
        <Button
          icon={<Columns2 size={16} aria-hidden />}
          onClick={() => onChange({ beside: other.id })}
        >
          Compare two models
        </Button>
      )}
    </>
  )
}
