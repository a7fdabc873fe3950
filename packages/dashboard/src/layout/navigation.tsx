import { Link } from '@tanstack/react-router'
import {
  Activity,
  Bell,
  BookOpenText,
  BookText,
  Box,
  Braces,
  Building2,
  ChartColumn,
  ClipboardList,
  Coins,
  CreditCard,
  Gauge,
  KeyRound,
  LayoutDashboard,
  ListTree,
  MessagesSquare,
  ScrollText,
  ShieldAlert,
  UserRound,
  Users,
  Webhook
} from 'lucide-react'
import { isOfDocs } from '../docs/list-pages.ts'

/** The pages of the menu, in order. */
const destinations = [
  { to: '/dashboard', text: 'Overview', icon: LayoutDashboard },
  { to: '/dashboard/keys', text: 'Keys', icon: KeyRound },
  { to: '/dashboard/playground', text: 'Playground', icon: MessagesSquare },
  { to: '/dashboard/models', text: 'Models', icon: Box },
  { to: '/dashboard/limits', text: 'Limits', icon: Gauge },
  { to: '/dashboard/usage', text: 'Usage', icon: ChartColumn },
  { to: '/dashboard/requests', text: 'Requests', icon: ListTree },
  { to: '/dashboard/billing', text: 'Billing', icon: CreditCard },
  { to: '/dashboard/team', text: 'Team', icon: Users },
  { to: '/dashboard/notices', text: 'Notices', icon: Bell },
  { to: '/dashboard/webhooks', text: 'Webhooks', icon: Webhook, isForOwner: true },
  { to: '/dashboard/audit', text: 'Audit log', icon: ScrollText, isForOwner: true },
  { to: '/docs', text: 'Docs', icon: BookText },
  { to: '/dashboard/account', text: 'Account', icon: UserRound }
] as const

/** The pages for operators. */
const operatorDestinations = [
  { to: '/dashboard/operator/accounts', text: 'Accounts', icon: Building2 },
  { to: '/dashboard/operator/leaked-key', text: 'Leaked key', icon: ShieldAlert },
  { to: '/dashboard/operator/system', text: 'System', icon: Activity },
  { to: '/dashboard/operator/money', text: 'Money', icon: Coins },
  { to: '/dashboard/operator/catalog', text: 'Catalog', icon: BookOpenText },
  { to: '/dashboard/operator/notices', text: 'Operators’ notices', icon: Bell },
  { to: '/dashboard/operator/webhooks', text: 'Operators’ webhooks', icon: Webhook },
  { to: '/dashboard/operator/log', text: 'Operators’ log', icon: ClipboardList },
  { to: '/docs/api/operators', text: 'Operators’ API', icon: Braces }
] as const

type Destination = (typeof destinations)[number] | (typeof operatorDestinations)[number]

interface Viewer {
  readonly isOwner: boolean
  readonly isOperator: boolean
}

/** The pages of the menu that a user may open. */
export const destinationsFor = ({ isOwner, isOperator }: Viewer): Destination[] => [
  ...ownDestinations(isOwner),
  ...(isOperator ? operatorDestinations : [])
]

const ownDestinations = (isOwner: boolean) =>
  destinations.filter((destination) => isOwner || !('isForOwner' in destination))

interface NavigationProps extends Viewer {
  /** Called with the path of a followed link, so that the menu can close. */
  readonly onChosen?: (to: string) => void
}

export function Navigation({ isOwner, isOperator, onChosen }: NavigationProps) {
  return (
    <>
      <Destinations shown={ownDestinations(isOwner)} onChosen={onChosen} />
      {isOperator && (
        <>
          <p className="mt-6 mb-1.5 px-3 text-xs font-semibold text-ink-soft">Operator</p>
          <Destinations label="Operator" shown={operatorDestinations} onChosen={onChosen} />
        </>
      )}
    </>
  )
}

interface DestinationsProps {
  /** For a list that is not the only one. */
  readonly label?: string
  readonly shown: readonly Destination[]
  readonly onChosen: NavigationProps['onChosen']
}

const linkLook =
  'flex min-h-9 items-center gap-3 rounded-lg px-3 py-1.5 text-sm font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent-strong'

function Destinations({ label, shown, onChosen }: DestinationsProps) {
  return (
    <ul aria-label={label} className="space-y-0.5">
      {shown.map(({ to, text, icon: Icon }) => {
        const content = (
          <>
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            {text}
          </>
        )
        return (
          <li key={to}>
            {isOfDocs(to) ? (
              <a href={to} className={linkLook}>
                {content}
              </a>
            ) : (
              <Link
                to={to}
                activeOptions={{ exact: to === '/dashboard', includeSearch: false }}
                {...(onChosen !== undefined && { onClick: () => onChosen(to) })}
                className={linkLook}
              >
                {content}
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
