import { useSessionOf, useView } from '#console/canvas/context.ts'
import { startData } from '#console/canvas/new-node.ts'
import { typeInfo } from '#console/canvas/node-types.ts'
import { SettingField } from './setting-field.tsx'
import { offeredBy, type SettingSchema, settingKind } from './setting-kind.ts'

export type SettingProblem = { readonly path: string; readonly words: string }

type SettingsFormProps = {
  schema: SettingSchema
  values: Readonly<Record<string, unknown>>
  onChange(key: string, value: unknown): void
  /** Problems of this object; `path` is a pointer into it. */
  problems: readonly SettingProblem[]
  modelKinds: readonly string[]
  names: readonly string[]
  tryOn: Readonly<Record<string, unknown>> | null
  /** Settings that are shown elsewhere, such as those that a wire can provide. */
  without?: ReadonlySet<string>
}

/** A form for an object of settings, built from its schema. Groups are nested forms. */
export function SettingsForm(props: SettingsFormProps) {
  const { schema, values, onChange, problems, modelKinds, without } = props
  const required = new Set(schema.required ?? [])
  const model = useView(({ models }) => models.find(({ id }) => id === values.model))
  const settings = Object.entries(schema.properties ?? {})
  // Required settings come first.
  const ordered = [
    ...settings.filter(([key]) => required.has(key)),
    ...settings.filter(([key]) => !required.has(key)),
  ]
  return (
    <>
      {ordered.map(([key, setting]) => {
        if (without?.has(key)) return null
        const kind =
          offeredBy(model?.capabilities, key, values[key]) ??
          settingKind(key, setting, {
            hasModels: modelKinds.length > 0,
            provider: model?.provider,
          })
        const own = problems.filter(({ path }) => path === `/${key}` || path.startsWith(`/${key}/`))
        if (kind.kind === 'group') {
          return <Group key={key} {...props} name={key} schema={setting} problems={own} />
        }
        return (
          <div key={key} data-setting={key}>
            <SettingField
              label={setting.title ?? key}
              schema={setting}
              kind={kind}
              value={values[key]}
              onChange={(value) => onChange(key, value)}
              required={required.has(key)}
              problem={own.map(({ words }) => words).join(' ') || null}
              modelKinds={modelKinds}
              code={{ names: props.names, tryOn: props.tryOn }}
            />
          </div>
        )
      })}
    </>
  )
}

function Group({
  name,
  schema,
  values,
  onChange,
  problems,
  ...rest
}: SettingsFormProps & { name: string }) {
  const inner = (values[name] ?? {}) as Record<string, unknown>
  const step = useView((state) =>
    typeof inner.type === 'string' ? typeInfo(state.types, inner.type) : undefined,
  )
  const { types, models } = useSessionOf().view.getState()
  const stepOf = (type: unknown) => {
    const info = typeof type === 'string' ? typeInfo(types, type) : undefined
    return { type, data: info ? startData(info, models) : {} }
  }
  const set = (key: string, value: unknown) => {
    const { [key]: _, ...others } = inner
    onChange(name, value === undefined ? others : { ...inner, [key]: value })
  }
  const within = (prefix: string) =>
    problems.map(({ path, words }) => ({ path: path.slice(prefix.length), words }))
  // The settings of a step inside another node follow the step's own type.
  const hasStep = step && schema.properties?.data
  return (
    <fieldset
      data-setting={name}
      className="flex min-w-0 flex-col gap-4 border-line border-l-2 pl-3"
    >
      <legend className="font-semibold text-sm">{schema.title ?? name}</legend>
      <SettingsForm
        {...rest}
        schema={schema}
        values={inner}
        onChange={(key, value) => {
          if (key === 'type' && value !== inner.type) onChange(name, stepOf(value))
          else set(key, value)
        }}
        problems={within(`/${name}`)}
        without={hasStep ? new Set(['data']) : new Set()}
      />
      {hasStep && (
        <SettingsForm
          {...rest}
          schema={step.config as SettingSchema}
          values={(inner.data ?? {}) as Record<string, unknown>}
          onChange={(key, value) => {
            const { [key]: _, ...others } = (inner.data ?? {}) as Record<string, unknown>
            set('data', value === undefined ? others : { ...others, [key]: value })
          }}
          problems={within(`/${name}/data`)}
          modelKinds={step.modelKinds}
          without={new Set(['label'])}
        />
      )}
    </fieldset>
  )
}
