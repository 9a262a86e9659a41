package store

import "context"

// finishTemplates makes last templates, and reports whether pages are to be read again with them.
func (s *Store) finishTemplates(context.Context) (more bool, err error) { return s.idle(s.templates) }
