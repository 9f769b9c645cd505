import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { DeveloperLinks } from '#console/shared/developer-links.tsx'
import { Banner } from '#console/ui/banner.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Code } from '#console/ui/code.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { Tabs } from '#console/ui/tabs.tsx'
import { ways } from './address.ts'
import { ConnectedAppsCard } from './connected-apps-card.tsx'
import { type Guide, guides } from './snippets.ts'

const route = getRouteApi('/framed/developer/connect')

export function ConnectScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => consoleCall('GET /server', { signal }),
    staleTime: 300_000,
  })
  useTrail('Connect')
  return (
    <>
      <DeveloperLinks />
      <Page
        title="Connect"
        lead="The same service from your code, your tools and your agents."
        actions={
          <Link to="/developer/keys" search={{ new: true }} className={buttonClass('secondary')}>
            Create a key
          </Link>
        }
      >
        <Loadable query={query} skeleton={<Skeleton className="h-60 w-full" />}>
          {({ baseUrl, modelsFile, pricesFile }) => (
            <>
              {modelsFile?.isRefused && (
                <Banner tone="warn" title="The models file has a mistake">
                  The server continues with the models it has. Its log says what is wrong.
                </Banner>
              )}
              {pricesFile?.isRefused && (
                <Banner tone="warn" title="The prices file has a mistake">
                  The server continues with the prices it has. Its log says what is wrong.
                </Banner>
              )}
              <Banner tone="info" title={baseUrl}>
                The address of this server. The examples read your key from the variable{' '}
                <code>ATELIER_API_KEY</code>.
              </Banner>
              <Tabs
                aria-label="Ways to connect"
                value={search.with ?? 'curl'}
                onChange={(way) => void navigate({ search: { with: way }, replace: true })}
                tabs={ways.map((way) => {
                  const guide = guides[way](baseUrl)
                  return { value: way, label: guide.label, panel: <GuideText guide={guide} /> }
                })}
              />
              <ConnectedAppsCard baseUrl={baseUrl} />
            </>
          )}
        </Loadable>
      </Page>
    </>
  )
}

function GuideText({ guide }: { guide: Guide }) {
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">{guide.lead}</p>
      {guide.snippets.map(({ title, text, note }) => (
        <div key={title} className="flex min-w-0 flex-col gap-2">
          <h2 className="font-semibold">{title}</h2>
          <Code label={title} text={text} />
          {note && <p className="text-soft text-sm">{note}</p>}
        </div>
      ))}
      <p className="text-sm">
        All details:{' '}
        <a href="/docs" className="text-accent underline">
          API reference
        </a>
      </p>
    </div>
  )
}
