import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { useRole, useSession } from '#console/api/session.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { type Theme, useTheme } from '#console/lib/theme.ts'
import { SettingsLinks } from '#console/shared/settings-links.tsx'
import { Card } from '#console/ui/card.tsx'
import { Field } from '#console/ui/field.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Select } from '#console/ui/select.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { AccountFacts } from './account-facts.tsx'
import { AccountForm } from './account-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { ServerCard } from './server-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { StandInPricesCard } from './stand-in-prices-card.tsx'
import { TwoStepCard } from './two-step-card.tsx'

const themes: { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function AccountScreen() {
  const email = useSession().data?.session?.user.email
  const role = useRole()
  const { theme, choose } = useTheme()
  const account = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => consoleCall('GET /account', { signal }),
  })
  useTrail('Account')
  return (
    <>
      <SettingsLinks />
      <Page title="Account" lead={email ? `Signed in as ${email}, ${role}.` : undefined}>
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title="Account and limit">
            <Loadable query={account} skeleton={<Skeleton className="h-32 w-full" />}>
              {(data) =>
                role === 'owner' ? (
                  <AccountForm key={data.id} account={data} />
                ) : (
                  <AccountFacts account={data} />
                )
              }
            </Loadable>
          </Card>
          <Card title="Password">
            <PasswordForm />
          </Card>
          <TwoStepCard />
          <Card title="Appearance">
            <Field label="Theme" hint="Saved in this browser.">
              {(control) => (
                <Select {...control} options={themes} value={theme} onChange={choose} />
              )}
            </Field>
          </Card>
          <SessionsCard />
          <StandInPricesCard />
          <ServerCard />
        </div>
      </Page>
    </>
  )
}
