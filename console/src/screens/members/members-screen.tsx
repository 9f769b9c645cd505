import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { useMay, useSession } from '#console/api/session.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { SettingsLinks } from '#console/shared/settings-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { AccountsCard } from './accounts-card.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberDialogs } from './member-dialogs.tsx'
import type { Asked } from './member-questions.ts'
import { MemberTable } from './member-table.tsx'
import { type ShownLink, ShownLinkDialog } from './shown-link-dialog.tsx'

const route = getRouteApi('/framed/settings/members')

export function MembersScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isOwner = useMay('owner')
  const { data: session } = useSession()
  const myId = session?.session?.user.id
  const [asked, setAsked] = useState<Asked | null>(null)
  const [shown, setShown] = useState<ShownLink | null>(null)
  const query = useQuery({
    queryKey: ['members'],
    queryFn: async ({ signal }) => (await consoleCall('GET /members', { signal })).items,
  })
  useTrail('Members')
  return (
    <>
      <SettingsLinks />
      <Page
        title="Members"
        lead="Everyone here shares the workflows, runs, keys and spend of this account."
        actions={
          isOwner && (
            <Button
              variant="primary"
              icon={<UserPlus size={16} aria-hidden />}
              onClick={() => void navigate({ search: { invite: true } })}
            >
              Invite
            </Button>
          )
        }
      >
        <Loadable query={query} skeleton={<SkeletonRows />}>
          {(members) => (
            <Card flush>
              <MemberTable members={members} myId={myId} mayChange={isOwner} onAsk={setAsked} />
            </Card>
          )}
        </Loadable>
        {isOwner && <InvitationsCard />}
        {session?.operator && <AccountsCard />}
        {search.invite && isOwner && (
          <InviteDialog
            onClose={() => void navigate({ search: {}, replace: true })}
            onMade={({ email, link }) =>
              setShown({
                link,
                title: `Invitation for ${email}`,
                text: 'Send this link to them yourself; no e-mail is sent. It works once, within 7 days.',
              })
            }
          />
        )}
        {asked && <MemberDialogs asked={asked} onClose={() => setAsked(null)} onLink={setShown} />}
        {shown && <ShownLinkDialog shown={shown} onClose={() => setShown(null)} />}
      </Page>
    </>
  )
}
