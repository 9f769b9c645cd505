import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { When } from '#console/ui/when.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { StartTwoStepDialog } from './start-two-step-dialog.tsx'
import { TwoStepDialog } from './two-step-dialog.tsx'

/** Two-step sign-in: off, or on with its recovery codes. */
export function TwoStepCard() {
  const [open, setOpen] = useState<'start' | 'codes' | 'off' | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const query = useQuery({
    queryKey: ['two-step'],
    queryFn: ({ signal }) => consoleCall('GET /two-step', { signal }),
  })
  const close = () => setOpen(null)
  return (
    <Card title="Two-step sign-in">
      <Loadable query={query} skeleton={<Skeleton className="h-20 w-full" />}>
        {({ enabledAt, recoveryCodesLeft, hasPassword }) =>
          !hasPassword ? (
            <p className="text-soft">
              You sign in with your organisation, which has its own second step.
            </p>
          ) : enabledAt === null ? (
            <div className="flex flex-col items-start gap-4">
              <p>
                With two-step sign-in, a stolen password is not enough: signing in also needs a code
                from an app on your phone.
              </p>
              <Button variant="primary" onClick={() => setOpen('start')}>
                Turn on
              </Button>
            </div>
          ) : (
            <div className="flex flex-col items-start gap-4">
              <p>
                On since <When at={enabledAt} />. {recoveryCodesLeft} of 10 recovery codes are left.
              </p>
              {recoveryCodesLeft < 3 && (
                <Banner tone="warn" title="Few recovery codes are left">
                  Without one, and without your phone, only an owner can let you in.
                </Banner>
              )}
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
                <Button onClick={() => setOpen('off')}>Turn off</Button>
              </div>
            </div>
          )
        }
      </Loadable>
      {open === 'start' && <StartTwoStepDialog onClose={close} onCodes={setCodes} />}
      {(open === 'codes' || open === 'off') && (
        <TwoStepDialog key={open} kind={open} onClose={close} onCodes={setCodes} />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  )
}
