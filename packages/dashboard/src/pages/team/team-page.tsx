import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MailOpen, Plus, UserRoundPlus } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { useAccount, useUser } from '../../layout/owner.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Moment } from '../../ui/moment.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { forgetJoined, joinedOwner } from '../invitation/describe-invitation.ts'
import type { Removal } from './seat-dialogs.tsx'

const InviteDialog = lazyDialog(() => import('./seat-dialogs.tsx'), 'InviteDialog')
const RemoveSeatDialog = lazyDialog(() => import('./seat-dialogs.tsx'), 'RemoveSeatDialog')

type Team = Answer<'getTeam'>['team']

export function TeamPage() {
  const { role } = useAccount()
  const team = useQuery(read('getTeam'))
  const [isInviting, setInviting] = useState(false)
  const [removal, setRemoval] = useState<Removal | null>(null)
  const [joined] = useState(joinedOwner)
  useEffect(forgetJoined, [])
  const seats = team.data?.team.seats
  const isFull = seats !== undefined && seats.limit !== null && seats.used >= seats.limit
  const invite = (
    <Button tone="primary" onClick={() => setInviting(true)}>
      <Plus aria-hidden="true" className="size-4" />
      Invite someone
    </Button>
  )
  return (
    <Page
      {...pageHeads['/dashboard/team']}
      isWaiting={team.isPending}
      actions={role === 'owner' && seats !== undefined && !isFull ? invite : undefined}
    >
      {role === 'seat' && joined !== null && (
        <Banner tone="success" title={`You have joined the team of ${isolate(joined)}`} isAnnounced>
          You use its plan, keys and budget now.
        </Banner>
      )}
      {role === 'owner' && isFull && (
        <Banner title={seats.limit === 1 ? 'Your plan is for one person' : 'All seats are taken'}>
          {seats.limit === 1
            ? 'Choose a plan with more seats to share your keys and budget with others.'
            : 'To invite someone, remove a member or choose a plan with more seats.'}{' '}
          <Link to="/dashboard/billing" className={textLink}>
            Compare plans
          </Link>
        </Banner>
      )}
      <Card isFlush {...(seats !== undefined && { title: 'Members', description: describeSeats(seats) })}>
        <QueryView query={team}>
          {(data) => <Members team={data.team} isOwner={role === 'owner'} onRemove={setRemoval} />}
        </QueryView>
      </Card>
      {role === 'owner' && team.data !== undefined && (
        <Card
          isFlush
          title="Invitations"
          description="Invitations without an answer yet. Each link works for one person."
        >
          <Invitations
            team={team.data.team}
            action={isFull ? undefined : invite}
            onWithdraw={(id, email) => setRemoval({ kind: 'invitation', id, name: email })}
          />
        </Card>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {removal !== null && <RemoveSeatDialog removal={removal} onClose={() => setRemoval(null)} />}
    </Page>
  )
}

const describeSeats = ({ used, limit }: Team['seats']): string =>
  limit === null ? `${countOf(used, 'seat')} in use, no limit` : `${used} of ${countOf(limit, 'seat')} in use`

interface MembersProps {
  readonly team: Team
  readonly isOwner: boolean
  readonly onRemove: (removal: Removal) => void
}

function Members({ team, isOwner, onRemove }: MembersProps) {
  const user = useUser()
  return (
    <ul aria-label="Members" className="divide-y divide-line border-t border-line">
      {team.members.map(({ id, name: chosen, email, role, joined }) => {
        // Users invited by e-mail have no name at first, and a name can look empty.
        const name = visibleText(chosen) === '' ? email : chosen
        return (
          <Row
            key={id}
            name={name}
            detail={name === email ? null : email}
            badge={role === 'owner' ? <Badge tone="accent">Owner</Badge> : id === user.id ? <Badge>You</Badge> : null}
            at={
              <>
                Joined <Moment at={joined} />
              </>
            }
            action={
              role === 'owner' ? null : id === user.id ? (
                <Button size="small" onClick={() => onRemove({ kind: 'self', id, name })}>
                  Leave the team
                </Button>
              ) : isOwner ? (
                <Button size="small" onClick={() => onRemove({ kind: 'member', id, name })}>
                  Remove<span className="sr-only"> {name}</span>
                </Button>
              ) : null
            }
          />
        )
      })}
    </ul>
  )
}

interface InvitationsProps {
  readonly team: Team
  readonly action: ReactNode
  readonly onWithdraw: (id: string, email: string) => void
}

function Invitations({ team, action, onWithdraw }: InvitationsProps) {
  if (team.invitations.length === 0) {
    return (
      <Empty icon={UserRoundPlus} title="No pending invitations" action={action}>
        Invited people get a link and decide whether to join.
      </Empty>
    )
  }
  return (
    <ul aria-label="Invitations" className="divide-y divide-line border-t border-line">
      {team.invitations.map(({ id, email, created, expires_at }) => (
        <Row
          key={id}
          name={email}
          detail={
            <>
              Expires <Moment at={expires_at} />
            </>
          }
          badge={<MailOpen aria-hidden="true" className="size-4 text-ink-soft" />}
          at={
            <>
              Invited <Moment at={created} />
            </>
          }
          action={
            <Button size="small" onClick={() => onWithdraw(id, email)}>
              Withdraw<span className="sr-only"> the invitation to {email}</span>
            </Button>
          }
        />
      ))}
    </ul>
  )
}

interface RowProps {
  readonly name: string
  readonly detail: ReactNode
  readonly badge: ReactNode
  readonly at: ReactNode
  readonly action: ReactNode
}

function Row({ name, detail, badge, at, action }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-4">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 break-words">{name}</span>
          {badge}
        </p>
        {detail !== null && <p className="text-sm break-words text-ink-soft">{detail}</p>}
      </div>
      <p className="text-sm text-ink-soft">{at}</p>
      {action}
    </li>
  )
}
