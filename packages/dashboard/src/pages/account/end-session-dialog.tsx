import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { Form } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useNews } from '../../ui/news.tsx'

type Props = { readonly id: string; readonly name: string; readonly onClose: () => void }

export function EndSessionDialog({ id, name, onClose }: Props) {
  const tell = useNews()
  return (
    <Dialog
      title={`Sign out ${name}?`}
      description="That browser has to sign in again. If you do not know it, also change your password."
      onClose={onClose}
    >
      <Form
        read={() => ({ ok: true, values: null })}
        submit={async () => {
          try {
            await call('endSession', { params: { id } })
          } catch (error) {
            // It has ended by itself.
            if (!isCode(error, 'not_found')) throw error
          }
          tell('The session is signed out.')
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
