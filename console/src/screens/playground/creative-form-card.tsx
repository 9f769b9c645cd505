import type { KeyboardEvent } from 'react'
import type { Model } from '#console/api/types.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { CodeMenu } from '#console/shared/code-menu.tsx'
import { MediaField } from '#console/shared/media-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { creativeCode } from './as-code.ts'
import { CostNote } from './cost-note.tsx'
import {
  type CreativeKind,
  type CreativeRequest,
  creativeBody,
  takesMask,
  takesPicture,
} from './creative.ts'
import { CreativeFields } from './creative-fields.tsx'
import type { CreativeForm } from './creative-form.ts'
import { MakeWorkflow } from './make-workflow.tsx'
import { MaskField } from './mask-field.tsx'
import { ModelPicker } from './model-picker.tsx'
import { stepHistory } from './prompt-history.ts'
import { useTaskEstimate } from './use-task-estimate.ts'

type CreativeFormCardProps = {
  kind: CreativeKind
  owner: string
  words: { one: string; many: string; placeholder: string }
  models: readonly Model[]
  model: Model
  form: CreativeForm
  request: CreativeRequest
  /** Earlier ones, newest first. */
  prompts: readonly string[]
  canSend: boolean
  isSending: boolean
  onChange(part: Partial<CreativeForm>): void
  onSend(): void
}

export function CreativeFormCard(props: CreativeFormCardProps) {
  const { kind, words, models, model, form, request, canSend, isSending, onChange, onSend } = props
  const estimate = useTaskEstimate(request, form.count)
  useShortcut('Mod+Enter', 'Send', onSend)
  return (
    <Card>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSend()
        }}
      >
        <ModelPicker models={models} model={model} onChange={(modelId) => onChange({ modelId })} />
        <PromptField {...props} />
        {takesPicture(model) && (
          <MediaField
            label="Reference picture"
            kind="image"
            value={form.image}
            onChange={(image) => onChange({ image })}
          />
        )}
        {form.image && takesMask(model) && (
          <MaskField
            owner={props.owner}
            picture={form.image}
            mask={form.mask}
            onChange={(mask) => onChange({ mask })}
          />
        )}
        <CreativeFields model={model} form={form} onChange={onChange} />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="text-soft text-sm">
            <CostNote estimate={estimate} />
          </span>
          <Button type="submit" variant="primary" disabled={!canSend} busy={isSending}>
            {form.count === 1 ? words.one : `Make ${form.count} ${words.many}`}
          </Button>
        </div>
      </form>
      <div className="mt-4 flex flex-wrap gap-2 border-line border-t pt-4">
        <CodeMenu
          {...creativeCode(location.origin, kind, creativeBody(request))}
          clientName="JavaScript"
        />
        <MakeWorkflow kind={kind} request={request} />
      </div>
    </Card>
  )
}

function PromptField({ form, words, prompts, onChange }: CreativeFormCardProps) {
  const recall = (event: KeyboardEvent) => {
    const direction =
      event.key === 'ArrowUp' ? 'older' : event.key === 'ArrowDown' ? 'newer' : undefined
    const prompt = direction && stepHistory(prompts, form.prompt, direction)
    if (prompt === undefined || prompt === null) return
    event.preventDefault()
    onChange({ prompt })
  }
  return (
    <Field
      label="Prompt"
      hint={prompts.length > 0 && form.prompt === '' ? 'Arrow up: earlier prompts.' : undefined}
    >
      {(control) => (
        <TextArea
          {...control}
          className="min-h-28"
          value={form.prompt}
          placeholder={words.placeholder}
          onKeyDown={recall}
          onChange={({ target }) => onChange({ prompt: target.value })}
        />
      )}
    </Field>
  )
}
