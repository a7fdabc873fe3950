import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { Form } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

interface EndSessionDialogProps {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}

export function EndSessionDialog({ id, name, onClose }: EndSessionDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Sign out ${name}?`}
      description="This browser must sign in again. If you do not recognise it, change your password too."
      onClose={onClose}
    >
      <Form
        read={() => ({ ok: true, values: null })}
        submit={async () => {
          try {
            await call('endSession', { params: { id } })
          } catch (error) {
            // The session had already ended.
            if (!isCode(error, 'not_found')) throw error
          }
          showToast('Session signed out.')
          onClose()
          await refresh('listSessions')
        }}
      >
        {(isBusy) => (
          <DialogActions>
            <Button disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" tone="danger" isBusy={isBusy}>
              Sign out
            </Button>
          </DialogActions>
        )}
      </Form>
    </Dialog>
  )
}
