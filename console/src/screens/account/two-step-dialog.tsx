import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { CodeField } from '#console/shared/code-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Form } from '#console/ui/form.tsx'
import { PasswordField } from './password-field.tsx'

const words = {
  codes: {
    title: 'New recovery codes',
    description: 'Your current codes will stop working.',
    verb: 'Replace them',
  },
  off: {
    title: 'Turn off two-step sign-in',
    description: 'Your password alone will then be enough.',
    verb: 'Turn off',
  },
} as const

type TwoStepDialogProps = {
  kind: keyof typeof words
  onClose(): void
  onCodes(codes: readonly string[]): void
}

/** For changes that need the password and a code. */
export function TwoStepDialog({ kind, onClose, onCodes }: TwoStepDialogProps) {
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const act = useMutation({
    mutationFn: async () => {
      const body = { password, code: code.trim() }
      if (kind === 'off') return void (await consoleCall('POST /two-step/off', { body }))
      onCodes((await consoleCall('POST /two-step/recovery-codes', { body })).recoveryCodes)
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['two-step'] })
      onClose()
    },
  })
  const { title, description, verb } = words[kind]
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={kind === 'off' ? 'danger' : 'primary'}
            type="submit"
            form="two-step-change"
            busy={act.isPending}
          >
            {verb}
          </Button>
        </>
      }
    >
      <Form id="two-step-change" onSubmit={() => act.mutate()}>
        <PasswordField value={password} onChange={setPassword} />
        <CodeField
          value={code}
          onChange={setCode}
          problem={act.error ? toApiFailure(act.error).message : null}
        />
      </Form>
    </Dialog>
  )
}
