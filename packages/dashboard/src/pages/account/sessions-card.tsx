import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Moment } from '../../ui/moment.tsx'
import { QueryView } from '../../ui/states.tsx'

const EndSessionDialog = lazyDialog(() => import('./account-dialogs.tsx'), 'EndSessionDialog')
const SignOutEverywhereDialog = lazyDialog(() => import('./account-dialogs.tsx'), 'SignOutEverywhereDialog')

type Session = Answer<'listSessions'>['sessions'][number]

const nameOf = ({ browser }: Session): string => browser ?? 'Unknown browser'

/** The sessions of the user, each with a button to sign it out. */
export function SessionsCard() {
  const sessions = useQuery(read('listSessions'))
  const [isSigningOut, setSigningOut] = useState(false)
  const [ending, setEnding] = useState<Session | null>(null)
  return (
    <Card
      isFlush
      title="Sessions"
      description="The browsers where you are signed in. Signing out does not affect your API keys."
      actions={<Button onClick={() => setSigningOut(true)}>Sign out everywhere</Button>}
    >
      <QueryView query={sessions} lines={2}>
        {(data) => (
          <ul aria-label="Sessions" className="divide-y divide-line border-t border-line">
            {data.sessions.map((session) => (
              <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
            ))}
          </ul>
        )}
      </QueryView>
      {isSigningOut && <SignOutEverywhereDialog onClose={() => setSigningOut(false)} />}
      {ending !== null && <EndSessionDialog id={ending.id} name={nameOf(ending)} onClose={() => setEnding(null)} />}
    </Card>
  )
}

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }) {
  const name = nameOf(session)
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-4">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {session.current && <Badge tone="accent">This browser</Badge>}
        </p>
        <p className="text-sm text-ink-soft">
          Signed in <Moment at={session.created_at} /> · last used <Moment at={session.last_used_at} />
        </p>
      </div>
      {!session.current && (
        <Button size="small" onClick={onEnd}>
          Sign out<span className="sr-only"> {name}</span>
        </Button>
      )}
    </li>
  )
}
