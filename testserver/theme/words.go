package theme

// words are a language's words for themes.
type words struct {
	code                                                               string // of the html element
	home, archives, tags, categories, about, search, menu              string
	tag, category, archive, author, year                               string // headings of lists: a format of the name
	posted, in, by, comments, reply, more, prev, next, recent, related string
	missing, missingMore, searchHint, noComments                       string
	notice, legal, powered, toc, profile, follow, views                string
	uses, index, summary, release                                      string
}

var wordsOf = map[string]*words{
	"en": {
		code: "en", home: "Home", archives: "Archives", tags: "Tags", categories: "Categories", about: "About", search: "Search", menu: "Menu",
		tag: "Tag: %s", category: "Category: %s", archive: "Archive: %s", author: "Posts by %s", year: "%d",
		posted: "Posted on", in: "in", by: "by", comments: "Comments", reply: "Reply", more: "Read more", prev: "Older posts", next: "Newer posts", recent: "Recent posts", related: "You may also like",
		missing: "Page not found", missingMore: "The page that you were looking for does not exist. It may have been moved.", searchHint: "Type what you are looking for and press enter.", noComments: "Be the first to comment.",
		notice:  "Please read this before you comment: comments are read by a person before they appear, and those that do not concern the post are removed. Your e-mail address is not published.",
		legal:   "All posts of %s are licensed under a Creative Commons Attribution licence unless it says otherwise. You may copy and adapt them as long as you name where they come from and link to the original.",
		powered: "Powered by a static generator, theme by its authors.", toc: "Contents", profile: "About the author", follow: "Follow by mail or feed", views: "views",
		uses: "Uses of Class %s", index: "Index", summary: "Method Summary", release: "Release notes %s",
	},
	"zh": {
		code: "zh-CN", home: "首页", archives: "归档", tags: "标签", categories: "分类", about: "关于", search: "搜索", menu: "菜单",
		tag: "标签：%s", category: "分类：%s", archive: "归档：%s", author: "%s的文章", year: "%d年",
		posted: "发表于", in: "分类于", by: "作者", comments: "评论", reply: "回复", more: "阅读全文", prev: "上一页", next: "下一页", recent: "最新文章", related: "相关文章",
		missing: "页面不存在", missingMore: "您要访问的页面不存在，可能已经移动或者删除。", searchHint: "请输入关键词后按回车键。", noComments: "还没有评论，来说两句吧。",
		notice:  "评论须知：评论经过人工审核后才会显示，与文章无关的内容将被删除。您的邮箱地址不会公开，请勿发布广告。",
		legal:   "本博客《%s》所有文章除特别声明外，均采用知识共享署名许可协议，转载请注明出处并附上原文链接。",
		powered: "由静态生成器强力驱动，主题由其作者提供。", toc: "文章目录", profile: "关于作者", follow: "订阅本站", views: "次阅读",
		uses: "%s 的使用", index: "索引", summary: "方法摘要", release: "版本 %s 发行说明",
	},
}
