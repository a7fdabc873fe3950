import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allowGone } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, read, refresh } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { readNothing } from '../../forms/form.tsx'
import { problemOfAddress, textOf } from '../../forms/read-fields.ts'
import { expectOtherAccount } from '../../layout/follow-account.ts'
import { tellOtherTabs } from '../../layout/tabs.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Invited {
  readonly email: string
  readonly link: string
  /** Whether the address had an open invitation before, whose link has ended now. */
  readonly isRepeated: boolean
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const team = useQuery(read('getTeam'))
  const [invited, setInvited] = useState<Invited | null>(null)
  if (invited !== null) return <LinkDialog {...invited} onClose={onClose} />
  return (
    <Dialog
      title="Invite someone"
      description="Once they accept, they share your keys, plan and budget."
      onClose={onClose}
    >
      <DialogForm
        action="Invite"
        onClose={onClose}
        read={(data) => {
          const email = textOf(data, 'email').trim()
          const problem = problemOfAddress(email, 'their')
          return problem === null ? { ok: true, values: { email } } : { ok: false, problems: { email: problem } }
        }}
        submit={async (body) => {
          const { invitation } = await call('inviteSeat', { body })
          const { email, link } = invitation
          const isRepeated = team.data?.team.invitations.some((open) => open.email === email) === true
          setInvited({ email, link, isRepeated })
          await refresh('getTeam')
        }}
      >
        <TextField name="email" label="Their e-mail address" type="email" autoComplete="off" maxLength={255} required />
      </DialogForm>
    </Dialog>
  )
}

function LinkDialog({ email, link, isRepeated, onClose }: Invited & { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Invitation ready"
      description={`We e-mail this link to ${email}. If it does not arrive, send it yourself. We can’t show it again.${isRepeated ? ' The earlier link to this address no longer works.' : ''}`}
      onClose={onClose}
      isDismissable={false}
    >
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-sunken p-3">
          <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
            {link}
          </code>
          <CopyButton text={link} what="the link" />
        </div>
        <DialogActions>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

export interface Removal {
  readonly kind: 'self' | 'member' | 'invitation'
  readonly id: string
  readonly name: string
}

const texts = {
  self: {
    title: () => 'Leave the team?',
    consequence:
      'You return to your own account and plan, and your own keys work again. Keys you created for the team stay with the team.',
    action: 'Leave the team',
    toast: 'You left the team.'
  },
  member: {
    title: (name: string) => `Remove ${isolate(name)}?`,
    consequence:
      'They lose access to the team’s keys, usage and plan at once. Keys they created stay with the team and keep working. Revoke any key they know.',
    action: 'Remove from the team',
    toast: 'Member removed. The seat is free again.'
  },
  invitation: {
    title: (name: string) => `Withdraw the invitation to ${isolate(name)}?`,
    consequence: 'Its link stops working. You can invite the same address again.',
    action: 'Withdraw invitation',
    toast: 'Invitation withdrawn.'
  }
} as const

/** Confirms leaving the team, removing a member or withdrawing an invitation, and names the consequences. */
export function RemoveSeatDialog({ removal, onClose }: { readonly removal: Removal; readonly onClose: () => void }) {
  const showToast = useToast()
  const { kind, id, name } = removal
  const { title, consequence, action, toast } = texts[kind]
  return (
    <Dialog title={title(name)} description={consequence} onClose={onClose}>
      <DialogForm
        action={action}
        tone="danger"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          if (kind === 'self') expectOtherAccount()
          await call('removeSeat', { params: { id } }).catch(allowGone)
          showToast(toast)
          onClose()
          // All cached data belongs to the team's account.
          if (kind === 'self') {
            tellOtherTabs()
            await queryClient.resetQueries()
          } else await refresh('getTeam')
        }}
      />
    </Dialog>
  )
}
