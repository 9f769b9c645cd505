import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { CodeField } from '#console/shared/code-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Form } from '#console/ui/form.tsx'
import { QrCode } from '#console/ui/qr-code.tsx'
import { PasswordField } from './password-field.tsx'

type StartTwoStepDialogProps = { onClose(): void; onCodes(codes: readonly string[]): void }

/** First the password, then the secret for the app, then a code to prove that the app has it. */
export function StartTwoStepDialog({ onClose, onCodes }: StartTwoStepDialogProps) {
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const start = useMutation({
    mutationFn: () => consoleCall('POST /two-step', { body: { password } }),
  })
  const confirm = useMutation({
    mutationFn: () => consoleCall('POST /two-step/confirm', { body: { code: code.trim() } }),
    onSuccess: ({ recoveryCodes }) => {
      void client.invalidateQueries({ queryKey: ['two-step'] })
      onCodes(recoveryCodes)
      onClose()
    },
  })
  const step = start.data ? confirm : start
  const problem = step.error ? toApiFailure(step.error).message : null
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!start.data}
      title="Turn on two-step sign-in"
      description={
        start.data
          ? 'Scan this with an authenticator app, or type in the secret.'
          : 'Confirm that it is you.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="two-step-form" busy={step.isPending}>
            {start.data ? 'Turn on' : 'Next'}
          </Button>
        </>
      }
    >
      <Form id="two-step-form" onSubmit={() => step.mutate()}>
        {start.data ? (
          <>
            <div className="flex flex-wrap items-start gap-4">
              <QrCode text={start.data.address} label="QR code for your authenticator app" />
              <div className="min-w-0 grow basis-40">
                <Code label="the secret" text={grouped(start.data.secret)} wrap />
              </div>
            </div>
            <CodeField
              value={code}
              onChange={setCode}
              problem={problem}
              takesRecoveryCodes={false}
            />
          </>
        ) : (
          <PasswordField value={password} onChange={setPassword} problem={problem} />
        )}
      </Form>
    </Dialog>
  )
}

/** Easier to read and to type; apps ignore the spaces. */
const grouped = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')
