import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { type Asked, wordsOf } from './member-questions.ts'
import type { ShownLink } from './shown-link-dialog.tsx'

type MemberDialogsProps = { asked: Asked; onClose(): void; onLink(shown: ShownLink): void }

export function MemberDialogs({ asked, onClose, onLink }: MemberDialogsProps) {
  const client = useQueryClient()
  const { title, text, verb, danger } = wordsOf(asked)
  const act = useMutation({
    mutationFn: () => carryOut(asked, onLink),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['members'] })
      void client.invalidateQueries({ queryKey: ['api-keys'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={text}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            busy={act.isPending}
            onClick={() => act.mutate()}
          >
            {verb}
          </Button>
        </>
      }
    >
      {act.error && <Failure failure={toApiFailure(act.error)} onRetry={() => act.mutate()} />}
    </Dialog>
  )
}

async function carryOut({ kind, member }: Asked, onLink: (shown: ShownLink) => void) {
  const params = { userId: member.userId }
  switch (kind) {
    case 'recover': {
      const { link } = await consoleCall('POST /recovery-links', { body: params })
      return onLink({
        link,
        title: `New password for ${member.email}`,
        text: 'Send this link to them yourself; no e-mail is sent. It works once, within an hour.',
      })
    }
    case 'two-step':
      return void (await consoleCall('DELETE /members/{userId}/two-step', { params }))
    case 'disable':
    case 'enable':
      return void (await consoleCall('PUT /members/{userId}', {
        params,
        body: { disabled: kind === 'disable' },
      }))
    case 'remove':
      return void (await consoleCall('DELETE /members/{userId}', { params }))
    default:
      return kind satisfies never
  }
}
