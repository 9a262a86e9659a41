package render

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl/fetch"
)

var _ fetch.Renderer = (*Browser)(nil)

// A Browser renders pages. Its methods may be called from many goroutines.
type Browser struct {
	o         Options
	tabs      chan struct{} // one in it for each page in work
	deadProxy net.Listener  // the proxy that hangs up
	pace      *pace
	kept      *cache

	closed  atomic.Int64 // tabs that were closed for their memory
	watches sync.WaitGroup

	mu   sync.Mutex
	ctx  context.Context // of the running Chromium; nil: none runs
	stop context.CancelFunc
	shut bool
}

// New returns a Browser. No process is started before the first page.
func New(o Options) (*Browser, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.filled()
	if o.Path == "" {
		var err error
		if o.Path, err = Find(); err != nil {
			return nil, err
		}
	}
	deadProxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	go func() { // until Close closes deadProxy
		for {
			c, err := deadProxy.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	return &Browser{
		o: o, tabs: make(chan struct{}, o.Tabs), deadProxy: deadProxy,
		pace: newPace(), kept: newCache(o.Cache),
	}, nil
}

// Close ends Chromium and waits for it. Pages in work fail.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shut = true
	if b.ctx != nil {
		b.stop()
		b.ctx = nil
	}
	b.watches.Wait()
	return b.deadProxy.Close()
}

// running returns the context of a Chromium that runs, and starts one where
// none does.
func (b *Browser) running() (context.Context, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shut {
		return nil, errors.New("the browser is closed")
	}
	if b.ctx != nil && b.ctx.Err() == nil {
		return b.ctx, nil
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(b.o.Path), chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.ProxyServer("http://" + b.deadProxy.Addr().String()),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("dns-prefetch-disable", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("block-new-web-contents", true),
		chromedp.Flag("disable-features", "IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter"),
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("mute-audio", true),
	}
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox) // it does not start otherwise
	}
	quiet := func(string, ...any) {}
	alloc, end := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, cancel := chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	stop := func() { cancel(); end() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", b.o.Path, err)
	}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny}); err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", b.o.Path, err)
	}
	b.ctx, b.stop = ctx, stop
	if p := chromedp.FromContext(ctx).Browser.Process(); p != nil {
		b.watches.Go(func() { b.watch(ctx, p.Pid, stop) }) // until the browser ends
	}
	return ctx, nil
}

// Render implements fetch.Renderer.
func (b *Browser) Render(ctx context.Context, r *fetch.Response, m fetch.Manners) ([]byte, error) {
	html, err := b.render(ctx, r, m)
	switch {
	case err == nil:
		return html, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("not done within %v", b.o.Timeout)
	case errors.Is(err, context.Canceled):
		err = errors.New("the browser ended")
	}
	return nil, fmt.Errorf("render %s: %w", r.URL, err)
}

func (b *Browser) render(ctx context.Context, r *fetch.Response, m fetch.Manners) (html []byte, err error) {
	select {
	case b.tabs <- struct{}{}:
		defer func() { <-b.tabs }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	running, err := b.running()
	if err != nil {
		return nil, err
	}
	tab, closeTab := chromedp.NewContext(running, chromedp.WithNewBrowserContext())
	defer closeTab()
	defer context.AfterFunc(ctx, closeTab)()
	defer time.AfterFunc(b.o.Timeout+3*b.o.writeTime(), closeTab).Stop() // Chromium hangs
	if err := chromedp.Do(tab); err != nil {
		return nil, err
	}
	alive, die := context.WithCancelCause(tab) // until the tab crashes
	before := b.closed.Load()
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = b.crashed(err, context.Cause(alive), before)
		}
	}()
	work, cancel := context.WithTimeout(alive, b.o.Timeout)
	v := newVisit(b, r, m)
	if leave, err := b.pace.enter(work, r.URL.Host(), m.Pause); err == nil {
		leave() // the page was a request too: its host rests from now
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	defer die(nil) // before the wait, which it ends
	defer cancel()
	requests := chromedp.Events(work, cdpfetch.RequestPaused)
	asking.Go(func() { // until work ends
		for e, err := range requests {
			if err != nil {
				return
			}
			asking.Go(func() { v.answer(work, &e) })
		}
	})
	dialogs := chromedp.Events(work, page.JavascriptDialogOpening)
	asking.Go(func() { // until work ends
		for _, err := range dialogs {
			if err != nil {
				return
			}
			// A dialog that is gone already is what is wanted.
			_, _ = chromedp.Call(work, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
		}
	})
	crashes := chromedp.Events(alive, inspector.TargetCrashed)
	asking.Go(func() { // until alive ends
		for _, err := range crashes {
			if err != nil {
				return
			}
			die(errCrashed)
		}
	})
	if _, err := chromedp.Call(work, inspector.Enable, cdp.Empty{}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(work, cdpfetch.Enable, cdpfetch.EnableParams{}); err != nil {
		return nil, err
	}
	err = chromedp.Do(work, chromedp.Navigate(r.URL.String()))
	if err == nil {
		err = v.quiet(work, b.o.Quiet)
	}
	if err != nil && work.Err() != context.DeadlineExceeded {
		return nil, err
	}
	// A page that is never quiet is taken as it stands when its time is over.
	html, err = b.html(alive)
	if errors.Is(err, context.DeadlineExceeded) && work.Err() == nil {
		err = fmt.Errorf("it loaded, and is too large or too busy to be read within %v", b.o.writeTime())
	}
	return html, err
}

var errCrashed = errors.New("its tab crashed")

// crashed says why a page failed whose tab or browser ended meanwhile; before is what
// closed was when the page started.
func (b *Browser) crashed(err, cause error, before int64) error {
	ended := errors.Is(cause, errCrashed) || errors.Is(err, context.Canceled)
	switch {
	case ended && b.closed.Load() > before:
		return &memoryError{b.o.Memory}
	case errors.Is(cause, errCrashed):
		return cause
	}
	return err
}

// html returns the document of a tab as it stands.
func (b *Browser) html(tab context.Context) ([]byte, error) {
	tab, cancel := context.WithTimeout(tab, b.o.writeTime())
	defer cancel()
	const doctype = "<!DOCTYPE html>"
	text, err := chromedp.Run(tab, chromedp.Evaluate[string](fmt.Sprintf(
		"document.documentElement ? document.documentElement.outerHTML.slice(0, %d) : ''", b.o.MaxBody)))
	if err != nil {
		return nil, err
	}
	out := doctype + text // at most three times MaxBody, in UTF-8
	return []byte(out[:min(int64(len(out)), b.o.MaxBody)]), nil
}
