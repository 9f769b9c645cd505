import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { Field } from '#console/ui/field.tsx'
import { Fold } from '#console/ui/fold.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { ChoiceSetting } from './choice-setting.tsx'
import { InputFields } from './input-fields.tsx'
import { SecretField } from './secret-field.tsx'
import { TextSetting } from './text-setting.tsx'
import { problemIn } from './trigger-body.ts'
import type { DraftProps } from './trigger-draft.ts'

/** Settings that most triggers leave as they are; a problem in one of them opens the fold. */
const folded = [
  ...['startAt', 'endAt', 'jitterSeconds', 'catchUp', 'overlap', 'version', 'maxCost'],
  ...['pauseAfterFailures', 'callbackUrl', 'metadata', 'dedupe', 'respond'],
  ...['verify.credentials.1', 'verify.toleranceSeconds', 'toleranceSeconds'],
]

export function MoreFields(props: DraftProps) {
  const { draft, problems } = props
  const names = draft.kind === 'WEBHOOK' ? [...folded, 'inputs'] : folded
  const hasProblem = names.some((name) => problemIn(problems, name) !== undefined)
  return (
    <Fold label="More settings" isOpen={hasProblem}>
      {draft.kind === 'WEBHOOK' ? <WebhookMore {...props} /> : <ScheduleMore {...props} />}
      <RunSettings {...props} />
    </Fold>
  )
}

const overlaps = [
  { value: 'allow', label: 'Start another run' },
  { value: 'skip', label: 'Skip it' },
  { value: 'queue', label: 'Start it afterwards' },
] as const
const catchUps = [
  { value: 'none', label: 'Make up for nothing' },
  { value: 'last', label: 'Make up for the last time' },
  { value: 'all', label: 'Make up for all, at most 100' },
] as const

function ScheduleMore(props: DraftProps) {
  const { draft, onChange } = props
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceSetting
        label="After downtime"
        hint="What the server missed while it was not running."
        options={catchUps}
        value={draft.catchUp}
        onChange={(catchUp) => onChange({ catchUp })}
      />
      {draft.kind === 'SCHEDULE' && (
        <>
          <TextSetting
            {...props}
            name="jitterSeconds"
            label="Spread"
            note="seconds"
            hint="Each time is up to this much later, so that not everything starts together."
            inputMode="numeric"
            placeholder="0"
          />
          {draft.isInterval && (
            <TextSetting
              {...props}
              name="startAt"
              label="Counted from"
              note="your local time"
              type="datetime-local"
            />
          )}
          <TextSetting
            {...props}
            name="endAt"
            label="Ends"
            note="your local time"
            type="datetime-local"
          />
        </>
      )}
    </div>
  )
}

const answers = [
  { value: 'accepted', label: 'Once the request is stored' },
  { value: 'result', label: 'With the result, within 25 seconds' },
] as const
const repeats = [
  { value: 'delivery', label: 'By the delivery id of the sender' },
  { value: 'header', label: 'By a header' },
  { value: 'expression', label: 'By an expression' },
] as const

function WebhookMore(props: DraftProps) {
  const { draft, problems, onChange } = props
  const [first, second] = draft.secrets
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceSetting
          label="Answer"
          options={answers}
          value={draft.respond}
          onChange={(respond) => onChange({ respond })}
        />
        <ChoiceSetting
          label="Repeats are recognised"
          options={repeats}
          value={draft.dedupe}
          onChange={(dedupe) => onChange({ dedupe })}
        />
        {draft.dedupe !== 'delivery' && (
          <TextSetting
            {...props}
            name="dedupeBy"
            setting="dedupe"
            label={draft.dedupe === 'header' ? 'Header' : 'Expression'}
            placeholder={draft.dedupe === 'header' ? 'x-event-id' : 'body.order.id'}
          />
        )}
        {draft.method !== 'none' && (
          <>
            <SecretField
              label="Second secret"
              none="None"
              hint="While you replace the secret at the sender: both are accepted."
              value={second}
              problem={problems['verify.credentials.1']}
              onChange={(name) => onChange({ secrets: [first, name] })}
            />
            <TextSetting
              {...props}
              name="toleranceSeconds"
              setting="verify.toleranceSeconds"
              label="Oldest signed time"
              note="seconds"
              inputMode="numeric"
              placeholder="300"
            />
          </>
        )}
      </div>
      <section aria-label="Fixed inputs" className="flex flex-col gap-4">
        <h3 className="font-semibold text-sm">Fixed inputs, besides what the request brings</h3>
        <InputFields
          workflowId={draft.workflowId}
          values={draft.inputs}
          hasWrongInput={draft.hasWrongInput}
          problems={problems}
          fill="as-given"
          onChange={(inputs, hasWrongInput) => onChange({ inputs, hasWrongInput })}
        />
      </section>
    </>
  )
}

/** What every run of the trigger gets. */
function RunSettings(props: DraftProps) {
  const { draft, problems, onChange } = props
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceSetting
          label="While the run before has not ended"
          options={overlaps}
          value={draft.overlap}
          onChange={(overlap) => onChange({ overlap })}
        />
        <VersionField {...props} />
        <TextSetting
          {...props}
          name="maxCost"
          label="Cost limit of each run"
          note="USD"
          inputMode="decimal"
          placeholder="No limit"
        />
        <TextSetting
          {...props}
          name="pauseAfterFailures"
          label="Pause after failures in a row"
          inputMode="numeric"
        />
        <TextSetting
          {...props}
          name="callbackUrl"
          label="Callback"
          note="optional"
          type="url"
          placeholder="https://…"
          hint="A signed webhook is sent there when a run ends."
        />
      </div>
      <Field label="Metadata" note="JSON" problem={problemIn(problems, 'metadata')}>
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-sm"
            rows={2}
            value={draft.metadata}
            spellCheck={false}
            onChange={({ target }) => onChange({ metadata: target.value })}
          />
        )}
      </Field>
    </>
  )
}

function VersionField({ draft, problems, onChange }: DraftProps) {
  const workflowId = Number(draft.workflowId)
  const { data } = useQuery({
    queryKey: ['triggers', 'versions', workflowId],
    queryFn: ({ signal }) =>
      consoleCall('GET /workflows/{workflowId}/versions', { params: { workflowId }, signal }),
    enabled: draft.workflowId !== null,
  })
  const stored = (data?.items ?? []).map(({ version, note }) => ({
    value: String(version),
    label: `Version ${version}`,
    ...(note ? { note } : {}),
  }))
  const isKnown = draft.version === 'latest' || stored.some(({ value }) => value === draft.version)
  return (
    <ChoiceSetting
      label="Version"
      problem={problemIn(problems, 'version')}
      options={[
        { value: 'latest', label: 'Always the latest' },
        ...(isKnown ? [] : [{ value: draft.version, label: `Version ${draft.version}` }]),
        ...stored,
      ]}
      value={draft.version}
      onChange={(version) => onChange({ version })}
    />
  )
}
