package focus

// folds is the number of parts of a cross-validation.
const folds = 10

// CrossValidate returns how well models rate examples that they were not trained on: the chance
// that a page on the topic is rated above one that is not (the area under the ROC curve). Each
// tenth of the examples is rated by a model trained on the others; ok is false if these are too
// few.
func CrossValidate(like, unlike []Doc) (auc float64, ok bool) {
	var ratings [2][]float64
	for fold := range folds {
		part := func(list []Doc) (in, out []Doc) {
			for i, d := range list {
				if i%folds == fold {
					out = append(out, d)
				} else {
					in = append(in, d)
				}
			}
			return in, out
		}
		likeIn, likeOut := part(like)
		unlikeIn, unlikeOut := part(unlike)
		j, err := New("", likeIn, unlikeIn)
		if err != nil {
			return 0, false
		}
		for i, list := range [][]Doc{unlikeOut, likeOut} {
			for _, d := range list {
				ratings[i] = append(ratings[i], j.Rate(d).Model)
			}
		}
	}
	sum := 0.
	for _, yes := range ratings[1] {
		for _, no := range ratings[0] {
			switch {
			case yes > no:
				sum++
			case yes == no:
				sum += .5
			}
		}
	}
	return sum / float64(len(ratings[0])*len(ratings[1])), true
}
