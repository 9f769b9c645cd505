import { ChoiceSetting } from './choice-setting.tsx'
import { NewSecret, SecretField } from './secret-field.tsx'
import { TextSetting } from './text-setting.tsx'
import type { DraftProps } from './trigger-draft.ts'

const senders = [
  { value: 'none', label: 'Whoever knows the address' },
  { value: 'github', label: 'GitHub' },
  { value: 'slack', label: 'Slack' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'standard-webhooks', label: 'Standard Webhooks' },
  { value: 'hmac', label: 'Another that signs (HMAC)' },
  { value: 'bearer', label: 'Bearer token' },
] as const

/** Who may send, and with which secret they prove it. */
export function VerifyFields(props: DraftProps) {
  const { draft, problems, onChange } = props
  const [first, second] = draft.secrets
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceSetting
          label="Sender"
          problem={problems.verify ?? problems['verify.method']}
          options={senders}
          value={draft.method}
          onChange={(method) => onChange({ method })}
        />
        {draft.method !== 'none' && (
          <SecretField
            label="Secret"
            value={first}
            problem={problems['verify.credentials.0'] ?? problems['verify.credentials']}
            onChange={(name) => onChange({ secrets: [name, second] })}
          />
        )}
      </div>
      {draft.method !== 'none' && (
        <NewSecret onStored={(name) => onChange({ secrets: [name, second] })} />
      )}
      {draft.method === 'hmac' && <HmacFields {...props} />}
    </>
  )
}

const algorithms = [
  { value: 'sha256', label: 'SHA-256' },
  { value: 'sha512', label: 'SHA-512' },
  { value: 'sha1', label: 'SHA-1' },
] as const
const encodings = [
  { value: 'hex', label: 'Hexadecimal' },
  { value: 'base64', label: 'Base64' },
] as const

function HmacFields(props: DraftProps) {
  const { draft, onChange } = props
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextSetting
        {...props}
        name="header"
        setting="verify.header"
        label="Header with the signature"
        placeholder="X-Signature"
      />
      <TextSetting
        {...props}
        name="prefix"
        setting="verify.prefix"
        label="Before the signature"
        note="optional"
        placeholder="sha256="
      />
      <ChoiceSetting
        label="Algorithm"
        options={algorithms}
        value={draft.algorithm}
        onChange={(algorithm) => onChange({ algorithm })}
      />
      <ChoiceSetting
        label="Written as"
        options={encodings}
        value={draft.encoding}
        onChange={(encoding) => onChange({ encoding })}
      />
      <TextSetting
        {...props}
        name="timestampHeader"
        setting="verify.timestampHeader"
        label="Header with the time"
        note="optional"
        hint="The signature is then of the time, a dot and the body."
      />
    </div>
  )
}
