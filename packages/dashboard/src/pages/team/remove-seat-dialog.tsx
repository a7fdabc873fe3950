import { allowGone } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, refresh } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { readNothing } from '../../forms/form.tsx'
import { expectOtherAccount } from '../../layout/follow-account.ts'
import { tellOtherTabs } from '../../layout/tell-other-tabs.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

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
